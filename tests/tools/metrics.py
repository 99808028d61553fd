# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prometheus' text format read as strictly as Prometheus does, or more so; and clients that no server deserves.

  metrics.py check URL|FILE         fails unless all of it is right; prints the samples, one a line
  metrics.py pages URL              every answer the server has
  metrics.py silly URL              clients that hang, dawdle, go away or talk nonsense; then an honest one
  metrics.py deadline URL           a client that says nothing, and one that goes on and on, are closed in time
"""
import http.client
import re
import socket
import sys
import time
import urllib.parse
import urllib.request

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"')
VALUE = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|Inf)|NaN")
TYPES = ("counter", "gauge", "summary")


def parse_sample(line):
    """Name, labels and value of a line."""
    name = NAME.match(line)
    assert name, f"no name: {line}"
    rest, labels = line[name.end():], []
    if rest.startswith("{"):
        rest = rest[1:]
        while not rest.startswith("}"):
            label = LABEL.match(rest)
            assert label, f"no label: {line}"
            labels.append(label.groups())
            rest = rest[label.end():]
            assert rest[0] in ",}", f"labels run into each other: {line}"
            rest = rest[1:] if rest[0] == "," else rest
        rest = rest[1:]
    assert rest.startswith(" ") and VALUE.fullmatch(rest[1:]), f"no number: {line}"
    assert len({key for key, _ in labels}) == len(labels), f"a label twice: {line}"
    return name.group(), tuple(labels), float(rest[1:])


def family_of(name, kind):
    return name.removesuffix("_sum").removesuffix("_count") if kind == "summary" else name


def check(text):
    """The samples by name and labels."""
    assert text.endswith("\n") and "\r" not in text and "\n\n" not in text
    samples, seen, family, kind, helped = {}, set(), None, None, None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped, said = line[7:].split(" ", 1)
            assert said and said.endswith("."), line
            assert re.fullmatch(r"(?:[^\\]|\\[\\n])*", said), line
        elif line.startswith("# TYPE "):
            family, kind = line[7:].split(" ")
            assert family == helped and kind in TYPES and family not in seen, line
            assert (kind == "counter") == family.endswith("_total"), f"{family} is a {kind}"
            assert not re.search(r"_(ms|milliseconds|minutes)\b", family), f"{family} is in no base unit"
            seen.add(family)
        else:
            assert not line.startswith("#"), line
            name, labels, value = parse_sample(line)
            assert family_of(name, kind) == family, f"{name} is among {family}"
            assert ("quantile" in dict(labels)) == (kind == "summary" and name == family), line
            assert (name, labels) not in samples, f"twice: {line}"
            assert kind != "counter" or value >= 0, line
            samples[name, labels] = value
    for name, labels in samples:
        if "quantile" not in dict(labels):
            continue
        rest = tuple(label for label in labels if label[0] != "quantile")
        assert (name + "_sum", rest) in samples and (name + "_count", rest) in samples, name
    return samples


def fetch(source):
    if not source.startswith("http"):
        return open(source, encoding="utf-8", newline="").read()
    with urllib.request.urlopen(source, timeout=60) as answer:
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", answer.headers
        return answer.read().decode("utf-8")


def ask(url, method, path, body=None):
    server = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(server.hostname, server.port, timeout=60)
    connection.request(method, path, body)
    answer = connection.getresponse()
    return answer.status, dict(answer.headers), answer.read()


def connect(url):
    server = urllib.parse.urlsplit(url)
    return socket.create_connection((server.hostname, server.port), timeout=60)


def say(url, data):
    """What the server answers to these bytes until it closes."""
    with connect(url) as client:
        answer = b""
        try:
            client.sendall(data)
            while piece := client.recv(65536):
                answer += piece
        except ConnectionError:
            pass  # the server closed the connection early
        return answer.split(b"\r\n")[0]


def pages(url):
    status, headers, body = ask(url, "GET", "/metrics")
    assert status == 200 and int(headers["Content-Length"]) == len(body) > 0
    status, headers, body = ask(url, "HEAD", "/metrics")
    assert status == 200 and int(headers["Content-Length"]) > 0 and body == b""
    status, _, body = ask(url, "GET", "/")
    assert status == 200 and b'href="/metrics"' in body
    assert ask(url, "GET", "/metrics?x=y")[0] == 200
    assert ask(url, "GET", "/nothing")[0] == 404
    status, headers, _ = ask(url, "POST", "/metrics", b"x" * 100000)
    assert status == 405 and headers["Allow"] == "GET, HEAD"
    assert say(url, b"GET http://proxy/metrics HTTP/1.1\r\nHost: x\r\n\r\n") == b"HTTP/1.1 200 OK"
    assert say(url, b"GET /metrics HTTP/1.0\n\n") == b"HTTP/1.0 200 OK"
    for nonsense in (b"GET\r\n\r\n", b"GET metrics HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /metrics HTTP/1.1\r\n\r\n",
                     b"GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /metrics\r\n\r\n", b"\x16\x03\x01\x02\n\n"):
        assert b" 400 " in say(url, nonsense), nonsense
    assert b" 505 " in say(url, b"GET / HTTP/2.0\r\nHost: x\r\n\r\n")
    # An empty line before a request is ignored.
    assert say(url, b"\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n") == b"HTTP/1.1 200 OK"
    # Endless headers end the connection before the time limit of a client (10 s), without an answer.
    began = time.monotonic()
    assert say(url, b"GET / HTTP/1.1\r\nx: " + b"x" * 500000) == b""
    assert time.monotonic() - began < 8


def silly(url):
    hanging = [connect(url) for _ in range(200)]
    dawdling = connect(url)
    dawdling.sendall(b"GET /metr")
    connect(url).close()
    reset = connect(url)
    reset.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    reset.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    reset.close()
    deaf = connect(url)
    deaf.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    endless = connect(url)
    endless.sendall(b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n" + b"x" * 1000)
    for _ in range(3):
        began = time.monotonic()
        check(fetch(url))
        print(f"answered in {time.monotonic() - began:.3f} s beside {len(hanging)} that hang")
    for client in (*hanging, dawdling, deaf, endless):
        client.close()


def deadline(url):
    silent, endless = connect(url), connect(url)
    endless.sendall(b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n")
    began, ended = time.monotonic(), {}
    while len(ended) < 2 and time.monotonic() - began < 60:
        for name, client in (("silent", silent), ("endless", endless)):
            client.settimeout(0.2)
            try:
                if name == "endless":
                    client.sendall(b"x")
                if not client.recv(65536):
                    ended.setdefault(name, time.monotonic() - began)
            except TimeoutError:
                pass
            except ConnectionError:
                ended.setdefault(name, time.monotonic() - began)
    assert set(ended) == {"silent", "endless"} and min(ended.values()) > 5, ended


if __name__ == "__main__":
    command, target = sys.argv[1:]
    if command == "check":
        for (name, labels), value in check(fetch(target)).items():
            print(name + "".join(f" {key}={text}" for key, text in labels), value)
    else:
        {"pages": pages, "silly": silly, "deadline": deadline}[command](target)
