"""Every function of a kernel is corrected, whether a model, a template or a program calls it."""

import asyncio

from semantic_kernel import Kernel
from semantic_kernel.functions import kernel_function

import timeoutkit

timeoutkit.install("semantic-kernel")


class Shell:
    @kernel_function
    def run_shell(self, command: str, timeout: int | None = None) -> str:
        return f"ran within {timeout} s"


kernel = Kernel()
shell = kernel.add_plugin(Shell(), "shell")
print(asyncio.run(kernel.invoke(shell["run_shell"], command="make", timeout=90000)))
