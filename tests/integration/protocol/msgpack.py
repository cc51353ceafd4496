"""As much of MessagePack as the protocol needs, for machines without the msgpack module."""
import struct


def packb(value):
    if value is None:
        return b"\xc0"
    if value is True or value is False:
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        if 0 <= value < 128:
            return bytes([value])
        if -32 <= value < 0:
            return bytes([256 + value])
        return struct.pack(">BQ", 0xCF, value) if value >= 0 else struct.pack(">Bq", 0xD3, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        text = value.encode()
        return struct.pack(">BH", 0xDA, len(text)) + text
    if isinstance(value, bytes):
        return struct.pack(">BI", 0xC6, len(value)) + value
    if isinstance(value, dict):
        parts = [packb(key) + packb(item) for key, item in value.items()]
        return struct.pack(">BH", 0xDE, len(value)) + b"".join(parts)
    return struct.pack(">BH", 0xDC, len(value)) + b"".join(packb(item) for item in value)


def unpackb(data):
    value, end = _unpack(data, 0)
    if end != len(data):
        raise ValueError("more than one object")
    return value


_NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
            0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
_LENGTHS = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I",
            0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}


def _unpack(data, at):
    head = data[at]
    at += 1
    if head < 0x80:
        return head, at
    if head >= 0xE0:
        return head - 256, at
    if head < 0x90:
        return _map(data, at, head & 15)
    if head < 0xA0:
        return _array(data, at, head & 15)
    if head < 0xC0:
        return data[at:at + (head & 31)].decode(), at + (head & 31)
    if head in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[head], at
    if head in _NUMBERS:
        size = struct.calcsize(_NUMBERS[head])
        return struct.unpack_from(_NUMBERS[head], data, at)[0], at + size
    count = struct.unpack_from(_LENGTHS[head], data, at)[0]
    at += struct.calcsize(_LENGTHS[head])
    if head in (0xDC, 0xDD):
        return _array(data, at, count)
    if head in (0xDE, 0xDF):
        return _map(data, at, count)
    content = data[at:at + count]
    return (content if head < 0xC7 else content.decode()), at + count


def _array(data, at, count):
    items = []
    for _ in range(count):
        item, at = _unpack(data, at)
        items.append(item)
    return items, at


def _map(data, at, count):
    items = {}
    for _ in range(count):
        key, at = _unpack(data, at)
        items[key], at = _unpack(data, at)
    return items, at
