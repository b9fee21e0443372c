"""What a decorated function costs, measured beside the alternatives: `python -m benchmarks`."""
