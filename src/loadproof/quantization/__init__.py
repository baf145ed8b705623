"""What a file holds, whatever its config says: quantized modules recognised by names, dtypes and shapes."""
