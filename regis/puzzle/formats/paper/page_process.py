"""Processes of their own for files and pages, which come from anywhere: PDFium and OpenCV are large programs in C++.

One takes a PDF apart, one sees pictures, one reads the puzzle on what these found. Each is bounded in memory and time,
and where it crashes nothing else does. Arguments, results, and errors that say what is wrong are pickled.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from importlib import import_module
from typing import Any, NamedTuple

from regis.errors import PuzzleError, UsageError
from regis.system import paths

ROOM = "regis.puzzle.formats.paper"
MAX_PICTURE_PIXELS = 120_000_000  # telephones make 50 million
ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1") | {
    "OPENCV_IO_MAX_IMAGE_PIXELS": str(MAX_PICTURE_PIXELS),
    "OPENCV_LOG_LEVEL": "OFF",
}
"""Threads of these libraries would cost more memory than they save time."""


class Task(NamedTuple):
    """A function of this room that runs in a process of its own, on a file's data and name.

    Attributes
    ----------
    max_memory, max_seconds : bytes, and seconds of computing.
    max_wait : seconds; the machine may be busy.
    excess : what to say of the file where its process ended without an answer.
    """

    module: str
    function: str
    max_memory: int
    max_seconds: int
    max_wait: float
    excess: str


def run_task(task: Task, data: Any, file_name: str, *arguments: Any) -> Any:
    """Run a task; raises PuzzleError where its bounds end it, and what the function raises."""
    places = [str(paths.PACKAGE_FOLDER.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": os.pathsep.join(places)}
    try:
        written = subprocess.run(
            [sys.executable, "-P", "-m", f"{ROOM}.page_process"],
            input=pickle.dumps((tuple(task), (data, file_name, *arguments))),
            capture_output=True, timeout=task.max_wait, check=False, env=environment,
        ).stdout  # fmt: skip
    except subprocess.TimeoutExpired:
        written = b""
    if not written:
        raise PuzzleError(f"{file_name} {task.excess}")
    said = pickle.loads(written)
    if isinstance(said, Exception):
        raise said
    return said


def _limit_process(max_memory: int, max_seconds: int) -> None:
    """Bound the memory and the seconds of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (max_memory, max_memory))
    resource.setrlimit(resource.RLIMIT_CPU, (max_seconds, max_seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer() -> None:
    """Run the task on standard input, and write its result or error on standard output."""
    task, arguments = pickle.load(sys.stdin.buffer)
    task = Task(*task)
    _limit_process(task.max_memory, task.max_seconds)
    try:
        said = getattr(import_module(f"{ROOM}.{task.module}"), task.function)(*arguments)
    except (PuzzleError, UsageError) as error:
        said = error
    sys.stdout.buffer.write(pickle.dumps(said))


if __name__ == "__main__":
    _answer()
