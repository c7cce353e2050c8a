"""Separate processes that handle untrusted files: PDFium and OpenCV are large C++ programs.

One process extracts a PDF, one recognizes pictures, and one reads the puzzle from their output. Each has a memory limit
and a time limit. If one crashes, nothing else does. Arguments, results, and Regis's own errors are pickled.
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
MAX_PICTURE_PIXELS = 120_000_000  # phone cameras produce 50 million
ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1") | {
    "OPENCV_IO_MAX_IMAGE_PIXELS": str(MAX_PICTURE_PIXELS),
    "OPENCV_LOG_LEVEL": "OFF",
}
"""Environment of each process. More threads would use much memory and save little time."""


class Task(NamedTuple):
    """A function of this room that runs in a separate process, on a file's data and name.

    Attributes
    ----------
    max_memory : bytes.
    max_seconds : seconds of CPU time.
    max_wait : seconds of elapsed time; longer, because the machine may be busy.
    failure_message : what to say about the file if the process ends without a result.
    """

    module: str
    function: str
    max_memory: int
    max_seconds: int
    max_wait: float
    failure_message: str


def run_task(task: Task, data: Any, file_name: str, *arguments: Any) -> Any:
    """Run a task. Raises PuzzleError if the process crashes or exceeds a limit, and the function's own errors."""
    folders = [str(paths.PACKAGE_FOLDER.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": os.pathsep.join(folders)}
    try:
        output = subprocess.run(
            [sys.executable, "-P", "-m", f"{ROOM}.page_process"],
            input=pickle.dumps((tuple(task), (data, file_name, *arguments))),
            capture_output=True, timeout=task.max_wait, check=False, env=environment,
        ).stdout  # fmt: skip
    except subprocess.TimeoutExpired:
        output = b""
    if not output:
        raise PuzzleError(f"{file_name} {task.failure_message}")
    result = pickle.loads(output)
    if isinstance(result, Exception):
        raise result
    return result


def _limit_process(max_memory: int, max_seconds: int) -> None:
    """Limit the memory and CPU time of this process, if the system supports it."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (max_memory, max_memory))
    resource.setrlimit(resource.RLIMIT_CPU, (max_seconds, max_seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _run_requested_task() -> None:
    """Run the task from standard input, and write its result or error to standard output."""
    task, arguments = pickle.load(sys.stdin.buffer)
    task = Task(*task)
    _limit_process(task.max_memory, task.max_seconds)
    try:
        result = getattr(import_module(f"{ROOM}.{task.module}"), task.function)(*arguments)
    except (PuzzleError, UsageError) as error:
        result = error
    sys.stdout.buffer.write(pickle.dumps(result))


if __name__ == "__main__":
    _run_requested_task()
