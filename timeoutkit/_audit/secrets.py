"""Text that can be shown to anyone: what looks like a secret is cut out of it."""

import re

_CUT = "[cut]"
_NAMED = re.compile(
    r"""(?ix)
    ((?:[\w-]*(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passwd|passphrase|pwd|credential|cookie)[\w-]*
       |(?:proxy-)?authorization)
     ["']?\s*(?:[=:]|\s)\s*(?:(?:bearer|basic|token)\s+)?)
    ("[^"]*"|'[^']*'|[^\s"'&;|]+)
    """
)
_BEARER = re.compile(r"(?i)\b((?:bearer|basic)\s+)[\w.~+/=-]{6,}")
_LOGIN = re.compile(r"(://[^\s/:@]*:)[^\s/@]+(?=@)")
_OPTION = re.compile(r"((?:^|\s)(?:-p(?=\S*\d)(?=\S*[^\W\d])|(?:-u|--user)[= ]?[^\s:]+:))\S{4,}")
_KEY = re.compile(
    r"-----BEGIN [^-]*-----.*?(?:-----END [^-]*-----|$)"
    r"|\b(?:sk|pk|rk)[-_][\w-]{8,}|\bgh[a-z]_\w{8,}|\bgithub_pat_\w+|\bglpat-[\w-]+|\bxox[a-z]-[\w-]+|\bA[KS]IA\w{8,}"
    r"|\bAIza[\w-]{10,}|\bhf_\w{10,}|\bpypi-[\w-]{10,}|\bnpm_\w{10,}|\beyJ[\w-]{8,}(?:\.[\w-]*)*",
    re.DOTALL,
)
_RANDOM = re.compile(r"(?<![\w/+.-])(?=[\w+/=-]*[0-9])(?=[\w+/=-]*[A-Za-z])[\w+=-]{32,}(?![\w/.])")


def without_secrets(text: str) -> str:
    """Cut whatever looks like a password, a token or a key; a little too much rather than too little.

    >>> without_secrets("curl -H 'Authorization: Bearer abc123def' https://me:pw@example.org")
    "curl -H 'Authorization: Bearer [cut]' https://me:[cut]@example.org"
    """
    for pattern in (_KEY, _RANDOM):
        text = pattern.sub(_CUT, text)
    for pattern in (_NAMED, _BEARER, _LOGIN, _OPTION):
        text = pattern.sub(rf"\1{_CUT}", text)
    return text
