#!/usr/bin/env python3
"""Reads the ParaView files of a result folder with nothing but the standard library, and judges them.

check_vtu.py FOLDER    exits 0 when run.pvd and every file it names are well formed, every array lies where its offset
                       says with the length its header says, connectivity points at nodes, and positions are finite."""
import math
import pathlib
import struct
import sys
import xml.etree.ElementTree as tree

SIZE = {"Float64": ("d", 8), "Float32": ("f", 4), "Int32": ("i", 4), "Int64": ("q", 8), "UInt8": ("B", 1)}


def read_vtu(path):
    """Arrays by name: (components, values); and the numbers of points and cells."""
    raw = path.read_bytes()
    start = raw.index(b"<AppendedData")
    data = raw.index(b"_", start) + 1
    root = tree.fromstring(raw[:start] + b"</VTKFile>")
    assert root.get("type") == "UnstructuredGrid" and root.get("header_type") == "UInt64", "head of the file"
    order = {"LittleEndian": "<", "BigEndian": ">"}[root.get("byte_order")]
    piece = root.find("UnstructuredGrid/Piece")
    points, cells = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfCells"))
    arrays, spans = {}, []
    for place, count in (("PointData", points), ("CellData", cells), ("Points", points), ("Cells", cells)):
        for a in piece.find(place):
            code, size = SIZE[a.get("type")]
            components = int(a.get("NumberOfComponents", "1"))
            at = data + int(a.get("offset"))
            (length,) = struct.unpack_from(order + "Q", raw, at)
            name = a.get("Name")
            if name != "connectivity":
                assert length == count * components * size, f"{name}: {length} bytes for {count} x {components}"
            spans.append((at, at + 8 + length, name))
            arrays[place, name] = components, struct.unpack_from(f"{order}{length // size}{code}", raw, at + 8)
    spans.sort()
    for (_, end, one), (begin, _, other) in zip(spans, spans[1:]):
        assert end == begin, f"{one} and {other} do not follow each other"
    assert spans[0][0] == data and raw[spans[-1][1]:].split() == [b"</AppendedData>", b"</VTKFile>"], "tail of the file"
    return arrays, points, cells


def check_vtu(path):
    arrays, points, cells = read_vtu(path)
    assert all(math.isfinite(v) for v in arrays["Points", "Points"][1]), "a position is not finite"
    assert all(0 <= i < points for i in arrays["Cells", "connectivity"][1]), "a cell points at no node"
    ends = arrays["Cells", "offsets"][1]
    assert all(a < b for a, b in zip((0,) + ends, ends)), "offsets of the cells do not grow"
    assert not cells or ends[-1] == len(arrays["Cells", "connectivity"][1]), "offsets and connectivity do not fit"
    assert set(arrays["Cells", "types"][1]) <= {1, 3, 5, 7, 9}, "an unknown type of cell"
    name = "body_a" if path.name.startswith("contact") else "body"
    assert ("PointData", name) in arrays, "no body numbers"


def main():
    folder = pathlib.Path(sys.argv[1]) / "paraview"
    sets = tree.parse(folder / "run.pvd").getroot().findall("Collection/DataSet")
    times = [float(s.get("timestep")) for s in sets if s.get("part") == "0"]
    assert sets and all(a < b for a, b in zip(times, times[1:])), "times of the frames do not grow"
    for s in sets:
        try:
            check_vtu(folder / s.get("file"))
        except AssertionError as why:
            sys.exit(f"{s.get('file')}: {why}")
    print(f"{len(times)} frames, {len(sets)} files, times {times[0]} to {times[-1]}: good")


if __name__ == "__main__":
    main()
