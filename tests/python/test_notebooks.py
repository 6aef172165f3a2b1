"""The notebooks of docs/notebooks run, and what they claim in their cells holds.
needs: nbclient nbformat ipykernel matplotlib
"""
import os
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["VISVIVA_SOURCE"])
sys.path.insert(0, str(SOURCE / "tools"))
import notebooks  # noqa: E402


class Notebooks(unittest.TestCase):
    def test_all(self):
        found = sorted((SOURCE / "docs/notebooks").glob("*.ipynb"))
        self.assertGreaterEqual(len(found), 4)
        for path in found:
            with self.subTest(path.name), tempfile.TemporaryDirectory() as where:
                book = notebooks.execute(path, where)
                self.assertTrue(any("assert" in cell.source for cell in book.cells), "a notebook states what it shows")
            page = path.with_suffix(".md")
            self.assertTrue(page.exists(), f"{page.name} is missing: make notebooks")


if __name__ == "__main__":
    if os.environ.get("VISVIVA_PRELOAD"):
        print("not under a sanitizer: skipped")
        sys.exit(77)
    unittest.main()
