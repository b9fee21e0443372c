"""What agents really wrote: tool calls in logs, and what their timeouts would have cost."""
