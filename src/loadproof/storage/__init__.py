"""Read-only, contained access to the bytes of a checkpoint folder."""

from loadproof.storage.folder import Folder, open_folder
from loadproof.storage.guarded import GuardedFile, UnreadableError
from loadproof.storage.paths import why_unsafe

__all__ = ["Folder", "GuardedFile", "UnreadableError", "open_folder", "why_unsafe"]
