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

    def test_live(self):
        """In a kernel: pages with the picture on top arrive while the run goes on, the stop button stops it, and it goes on."""
        import visviva
        try:
            visviva.results.template()
        except visviva.FileError:
            self.skipTest("the report page is not built (make web)")
        from jupyter_client.manager import start_new_kernel
        manager, client = start_new_kernel(kernel_name="python3")

        def run(code, interrupt_at=None):
            asked, pages, ends = client.execute(code), [], []
            while True:
                message = client.get_iopub_msg(timeout=120)
                kind, content = message["msg_type"], message["content"]
                if message["parent_header"].get("msg_id") != asked:
                    continue
                if kind in ("display_data", "update_display_data"):
                    pages.append((kind, content["data"]["text/html"]))
                    if len(pages) == interrupt_at:
                        manager.interrupt_kernel()
                elif kind in ("error", "execute_result"):
                    ends.append(content["ename"] if kind == "error" else content["data"]["text/plain"])
                elif kind == "status" and content["execution_state"] == "idle":
                    return pages, ends

        try:
            with tempfile.TemporaryDirectory() as folder:
                pages, ends = run("import visviva\n"
                                  "sim = visviva.Simulation(visviva.example('tumbling-rod'), change={'time.end': 1e5})\n"
                                  f"visviva.live(sim, {folder!r}, seconds=0.2)", interrupt_at=3)
                self.assertEqual([kind for kind, _ in pages[:3]], ["display_data", "update_display_data", "update_display_data"])
                self.assertTrue(all("html data-live" in page for _, page in pages[:3]))
                self.assertNotIn("html data-live", pages[-1][1])  # the page that stays is the whole one
                self.assertEqual(ends, ["KeyboardInterrupt"])
                _, ends = run("before = sim.steps; sim.step(3); (sim.steps - before, sim.ledger.max_closure < 1e-12)")
                self.assertEqual(ends, ["(3, True)"])
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    if os.environ.get("VISVIVA_PRELOAD"):
        print("not under a sanitizer: skipped")
        sys.exit(77)
    unittest.main()
