# SPDX-License-Identifier: GPL-3.0-or-later
# bash completion for the Campmate programs. Asks the program itself, so it is never out of date.

_campmate() {
    local program=$1 current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=() help found=''
    # Bash takes --option=value for three words.
    if [[ $current == = ]]; then
        current=''
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    # Some programs have commands: their help is that of the command.
    if [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]] &&
        [[ ${program##*/} =~ ^campmate(-data|-match)?$ ]]; then
        command=("${COMP_WORDS[1]}")
    fi
    if [[ $previous == --variant ]]; then
        found=$("$program" --version 2>/dev/null </dev/null | sed -n 's/^variants *//p')
        found=${found//,/}
    else
        help=$("$program" "${command[@]}" --help 2>/dev/null </dev/null)
        # "--order=sequential|random": the words that it may have
        if [[ $previous == --* ]]; then
            found=$(grep -oE -- "^ +$previous=[a-z]+(\|[a-z]+)+" <<<"$help" | sed 's/.*=//; y/|/ /')
        fi
        if [[ $current == -* ]]; then
            found=$(grep -oE -- '^ {2,8}(-[a-zA-Z], )?--[a-z0-9-]+' <<<"$help" | grep -oE -- '--[a-z0-9-]+')
        elif [[ $COMP_CWORD -eq 1 ]]; then
            found=$(grep -oE '^  [a-z]+ ' <<<"$help")
        fi
    fi
    mapfile -t COMPREPLY < <(compgen -W "$found" -- "$current")
} &&
    complete -o default -F _campmate campmate campmate-data campmate-match campmate-selfplay \
        campmate-tune
