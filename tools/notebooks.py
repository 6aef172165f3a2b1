#!/usr/bin/env python3
"""Runs the notebooks of docs/notebooks and writes each as a page beside it (make notebooks); tests/python/test_notebooks.py
runs them without writing."""
import os
import pathlib
import sys

import nbclient
import nbformat

SOURCE = pathlib.Path(os.environ.get("VISVIVA_SOURCE", pathlib.Path(__file__).resolve().parent.parent))
FOLDER = SOURCE / "docs/notebooks"


def execute(path, where):
    """The notebook with its outputs; an exception in a cell comes out with the cell."""
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(where)}}).execute()
    return book


def write_page(book, path):
    import nbconvert
    body, more = nbconvert.MarkdownExporter().from_notebook_node(book, {"output_files_dir": "images", "unique_key": path.stem})
    for name, data in more["outputs"].items():
        target = path.parent / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(data)
    head = f"<!-- made from {path.name} by `make notebooks` -->\n"
    path.with_suffix(".md").write_text(head + body)


if __name__ == "__main__":
    import tempfile
    for path in sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as where:
            print(path.name)
            write_page(execute(path, where), path)
    sys.exit(0)
