"""What people read: figures, and the machine that numbers were measured on."""
