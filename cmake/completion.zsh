#compdef campmate campmate-data campmate-match campmate-selfplay campmate-tune
# SPDX-License-Identifier: GPL-3.0-or-later
# zsh completion for the Campmate programs. Asks the program itself, so it is never out of date.

local program=${words[1]} help
local -a command found
# Some programs have commands: their help is that of the command.
if [[ ${program:t} == (campmate|campmate-data|campmate-match) && $CURRENT -gt 2 && ${words[2]} != -* ]]; then
    command=(${words[2]})
fi
help=$($program $command --help 2>/dev/null </dev/null)
if [[ ${words[CURRENT-1]} == --variant ]]; then
    found=(${(s:, :)"$($program --version 2>/dev/null </dev/null | sed -n 's/^variants *//p')"})
elif [[ ${words[CURRENT-1]} == --* && -n $(grep -oE -- "^ +${words[CURRENT-1]}=[a-z]+\|" <<<$help) ]]; then
    # "--order=sequential|random": the words that it may have
    found=(${(s:|:)"$(grep -oE -- "^ +${words[CURRENT-1]}=[a-z]+(\|[a-z]+)+" <<<$help | sed 's/.*=//')"})
elif [[ ${words[CURRENT]} == -* ]]; then
    found=(${(f)"$(grep -oE -- '^ {2,8}(-[a-zA-Z], )?--[a-z0-9-]+' <<<$help | grep -oE -- '--[a-z0-9-]+')"})
elif (( CURRENT == 2 )); then
    found=(${(f)"$(grep -oE '^  [a-z]+ ' <<<$help | tr -d ' ')"})
fi
if (( $#found )); then
    compadd -a found
else
    _files
fi
