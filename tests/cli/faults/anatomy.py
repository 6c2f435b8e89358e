# SPDX-License-Identifier: GPL-3.0-or-later
"""anatomy.py - where the parts of a shard begin and end, by data/FORMAT.md and not by our reader."""

HEADER = {  # offset: what begins there
    0: "frame", 4: "size", 8: "magic", 16: "version", 18: "rules", 20: "score steps", 22: "view",
    23: "final scores", 24: "bench", 32: "seed", 40: "first game", 48: "game count",
    56: "weights", 72: "slope or texts", 76: "texts",
}
ENTRY = {0: "offset", 8: "first game", 16: "games", 20: "plies", 24: "checksum"}
TOTALS = {0: "games", 8: "plies", 16: "outcome 0", 24: "outcome 1", 32: "outcome 2",
          40: "outcome 3", 48: "digest", 64: "trailer offset", 72: "file length", 80: "checksum",
          88: "end magic"}


def number(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


class Shard:
    """header, blocks = [(begin, end, first game, games)], trailer, size; `places`: each boundary."""

    def __init__(self, data):
        self.data, self.size = data, len(data)
        self.version = number(data, 16, 2)
        self.header = 8 + number(data, 4, 4)
        self.trailer = number(data, self.size - 32, 8)
        self.places = {at: f"header: {name}" for at, name in HEADER.items()}
        self.places[self.header - 8] = "header: checksum"
        self.add_texts()
        count = number(data, self.trailer + 16, 8)
        self.places.update({self.trailer + at: f"trailer: {name}"
                            for at, name in ((0, "frame"), (4, "size"), (8, "magic"),
                                             (16, "blocks"))})
        entries = []
        for i in range(count):
            begin = self.trailer + 24 + 32 * i
            self.places.update({begin + at: f"index {i}: {name}" for at, name in ENTRY.items()})
            entries.append((number(data, begin, 8), number(data, begin + 8, 8),
                            number(data, begin + 16, 4)))
        totals = self.trailer + 24 + 32 * count
        self.places.update({totals + at: f"totals: {name}" for at, name in TOTALS.items()})
        if totals + 96 != self.size:
            raise ValueError("the trailer does not end with the file")
        ends = [entry[0] for entry in entries[1:]] + [self.trailer]
        self.blocks = [(entry[0], end, *entry[1:]) for entry, end in zip(entries, ends)]
        for i, (begin, end, *_) in enumerate(self.blocks):
            self.add_frame(begin, end, f"block {i}")

    def add_texts(self):
        at = 76 if self.version >= 3 else 72
        for name in ["variant"] + ["commit", "compiler", "configuration"] * (self.version < 3):
            self.places[at] = f"header: length of {name}"
            length, at = varint(self.data, at)
            self.places[at] = f"header: {name}"
            at += length
        if self.version >= 3:
            self.add_frame(at, self.header - 8, "header: texts", checked=False)
        elif at != self.header - 8:
            raise ValueError("the texts do not fill the header")

    def add_frame(self, begin, end, name, checked=True):
        """The parts of a zstd frame (RFC 8878)."""
        if self.data[begin:begin + 4] != bytes.fromhex("28b52ffd"):
            raise ValueError(f"{name}: no zstd frame")
        kind, at = self.data[begin + 4], begin + 5
        self.places.update({begin: f"{name}: magic", begin + 4: f"{name}: descriptor"})
        single = kind >> 5 & 1
        if not single:
            self.places[at] = f"{name}: window"
            at += 1
        at += (0, 1, 2, 4)[kind & 3]
        self.places[at] = f"{name}: content size"
        at += (1 if single else 0, 2, 4, 8)[kind >> 6]
        last = False
        while not last:
            self.places[at] = f"{name}: part"
            word = number(self.data, at, 3)
            last, size = bool(word & 1), word >> 3
            self.places[at + 3] = f"{name}: bytes of part"
            at += 3 + (1 if word >> 1 & 3 == 1 else size)
        if bool(kind & 4) != checked:
            raise ValueError(f"{name}: checksum flag")
        if checked:
            self.places[at] = f"{name}: checksum"
            at += 4
        if at != end:
            raise ValueError(f"{name}: does not end at {end}, but at {at}")

    def part(self, at):
        """"header", number of a block, or "trailer"."""
        if at < self.header:
            return "header"
        for i, (begin, end, *_) in enumerate(self.blocks):
            if begin <= at < end:
                return i
        return "trailer"
