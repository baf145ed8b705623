"""What peft does with an adapter, evaluated from its own text."""
