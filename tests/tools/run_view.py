#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Requests to the live page of gst-bcp run, as browsers, other programs and attackers send them.

  run_view.py CHECK URL [ARGUMENT...]
"""

from __future__ import annotations

import http.client
import json
import socket
import sys
import time
import urllib.parse

PATIENCE = 60  # seconds; only a hang takes that long


class Client:
    """Requests to one server; each has its own connection."""

    def __init__(self, url: str):
        self.place = urllib.parse.urlsplit(url).netloc
        self.host, self.port = urllib.parse.urlsplit(url).hostname, urllib.parse.urlsplit(url).port
        self.cookie = ""

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            if value or name == "Host":
                connection.putheader(name.replace("_", "-"), value)
        if self.cookie:
            connection.putheader("Cookie", self.cookie)
        if body is not None and "Content_Length" not in headers:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        answer.text = answer.read() if answer.headers.get_content_type() not in ("text/event-stream", "multipart/x-mixed-replace") else b""
        return answer

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        return self.send("GET", path, **headers)

    def json(self, path: str):
        answer = self.get(path)
        assert answer.status == 200, (path, answer.status, answer.text)
        return json.loads(answer.text)

    def post(self, path: str, body: dict, **headers: str) -> http.client.HTTPResponse:
        return self.send("POST", path, json.dumps(body).encode(), **{"Content_Type": "application/json", **headers})

    def change(self, path: str, body: dict) -> http.client.HTTPResponse:
        return self.post(path, body, X_Bcp_Token=self.json("/api/session")["token"])

    def stream(self, path: str) -> socket.socket:
        """A connection that gets a response without an end; nothing is read yet."""
        made = socket.create_connection((self.host, self.port), timeout=PATIENCE)
        cookie = f"Cookie: {self.cookie}\r\n" if self.cookie else ""
        made.sendall(f"GET {path} HTTP/1.1\r\nHost: {self.place}\r\n{cookie}\r\n".encode())
        return made


def until(is_true, complaint: str):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = is_true()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(complaint)


def read_until(connection: socket.socket, what: bytes, most: int = 1 << 20) -> bytes:
    text = b""
    while what not in text and len(text) < most:
        more = connection.recv(65536)
        assert more, f"the stream ended: {text[-200:]!r}"
        text += more
    return text


def headers(url: str) -> None:
    """Every response has the headers that protect a browser."""
    client = Client(url)
    for path in ("/", "/page.js", "/style.css", "/api/state", "/none", "/events", "/pictures?cameras=1"):
        got = client.get(path).headers
        policy = got["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy, (path, policy)
        assert got["X-Content-Type-Options"] == "nosniff" and got["X-Frame-Options"] == "DENY", path
        assert got["Referrer-Policy"] == "no-referrer" and got["Cross-Origin-Resource-Policy"] == "same-origin", path
        assert got["Cache-Control"] == "no-store" and got["Access-Control-Allow-Origin"] is None, path


def hosts(url: str) -> None:
    """A name that a stranger lets resolve to this machine is refused, for every kind of request."""
    client = Client(url)
    for host in ("evil.example", f"evil.example:{client.port}", "127.0.0.1.evil.example", ""):
        for path in ("/", "/api/state", "/events", "/pictures?cameras=1", "/page.js"):
            status = client.get(path, Host=host).status
            assert status in (400, 421), (host, path, status)
    for host in (client.place, f"localhost:{client.port}", "cameras.test"):
        assert client.get("/api/state", Host=host).status == 200, host


def paths(url: str) -> None:
    """Only the files of the page are served."""
    client = Client(url)
    for path in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/page.js/../../etc/passwd",
                 "/index.html", "/style.css%00", "/.git/config", "/thumbnail?id=../../etc/passwd", "/api/../../etc/passwd"):
        answer = client.get(path)
        assert answer.status in (400, 404), (path, answer.status)
        assert b"root:" not in answer.text, path


def changes(url: str) -> None:
    """A change needs the token, JSON, and a page of this server."""
    client = Client(url)
    token = client.json("/api/session")["token"]
    body = {"camera": 1, "threshold": 0.4}
    assert client.post("/api/settings", body).status == 403
    assert client.post("/api/settings", body, X_Bcp_Token="0" * 64).status == 403
    assert client.post("/api/settings", body, X_Bcp_Token=token, Origin="http://evil.example").status == 403
    assert client.post("/api/settings", body, X_Bcp_Token=token, Origin="null").status == 403
    assert client.post("/api/settings", body, X_Bcp_Token=token, Sec_Fetch_Site="cross-site").status == 403
    assert client.post("/api/settings", body, X_Bcp_Token=token, Content_Type="text/plain").status == 415
    assert client.send("GET", "/api/settings?camera=1&threshold=0.4").status == 404
    assert client.send("PUT", "/api/settings", b"{}", X_Bcp_Token=token, Content_Type="application/json").status == 405
    assert client.json("/api/state")["cameras"][0]["settings"]["threshold"] == -1
    done = client.post("/api/settings", body, X_Bcp_Token=token, Origin=f"http://{client.place}", Sec_Fetch_Site="same-origin")
    assert done.status == 200, done.text
    assert client.json("/api/state")["cameras"][0]["settings"]["threshold"] == 0.4
    # Another site may not read either: not by a picture in its page, not by a script.
    assert client.get("/pictures?cameras=1", Sec_Fetch_Site="cross-site").status == 403
    assert client.get("/api/session", Origin="http://evil.example").status == 403


def sizes(url: str) -> None:
    """Requests have a size that is checked before they are read."""
    client = Client(url)
    token = client.json("/api/session")["token"]
    assert client.send("POST", "/api/labels", b" " * 300_000, Content_Type="application/json", X_Bcp_Token=token).status == 413
    chunked = client.send("POST", "/api/labels", b"2\r\n{}\r\n0\r\n\r\n", Content_Type="application/json", X_Bcp_Token=token,
                          Transfer_Encoding="chunked", Content_Length="")
    assert chunked.status in (400, 411), chunked.status
    assert client.send("POST", "/api/labels", b"{", Content_Type="application/json", X_Bcp_Token=token).status == 400
    assert client.send("POST", "/api/labels", b"[" * 200_000, Content_Type="application/json", X_Bcp_Token=token).status == 400
    for query in ("", "?cameras=", "?cameras=1,", "?cameras=x", "?cameras=-1", "?cameras=" + ",".join(map(str, range(1000)))):
        assert client.get("/pictures" + query).status == 400, query
    try:
        assert client.get("/" + "x" * 200_000).status >= 400
    except ConnectionResetError:
        pass  # libsoup reads no longer header
    for body in ({}, {"camera": "1"}, {"camera": 99}, {"camera": -1}, {"camera": 1e99}):
        assert client.change("/api/labels", body).status == 404, body
    for path, body in (("/api/labels", {"camera": 1}), ("/api/labels", {"camera": 1, "labels": [{"name": "a"}, {"name": "a"}]}),
                       ("/api/labels", {"camera": 1, "labels": []}), ("/api/labels", {"camera": 1, "labels": [{"name": "x" * 5000}]}),
                       ("/api/labels", {"camera": 1, "labels": [{"name": "a", "often": 7}]}), ("/api/settings", {"camera": 1, "threshold": 7}),
                       ("/api/settings", {"camera": 1, "context": {"kind": "/etc/passwd"}}), ("/api/feedback", {"camera": 1, "label": "x"}),
                       ("/api/feedback", {"camera": 1, "label": "", "present": True})):
        answer = client.change(path, body)
        assert answer.status == 400 and json.loads(answer.text)["error"], (path, body, answer.status, answer.text)


def clients(url: str) -> None:
    """The number of open pages is limited, and their places are free again when they are gone."""
    client = Client(url)
    streams = [client.stream("/events") for _ in range(24)]
    for stream in streams:
        assert b"200 OK" in read_until(stream, b"retry:")
    assert client.get("/events").status == 503
    for stream in streams:
        stream.close()
    until(lambda: client.get("/events").status == 200, "no place is free again")
    # Requests that are never completed do not lock others out.
    slow = [socket.create_connection((client.host, client.port), timeout=PATIENCE) for _ in range(100)]
    assert client.get("/api/state").status == 200
    for each in slow:
        each.close()


def login(url: str, password: str) -> None:
    """With a password, nothing but the login is served without one."""
    client = Client(url)
    front = client.get("/")
    assert front.status == 303 and front.headers["Location"] == "/login", front.status
    assert client.get("/page.js").status == 303
    for path in ("/api/state", "/api/session", "/events", "/pictures?cameras=1", "/thumbnail?id=1", "/api/learnt?camera=1"):
        answer = client.get(path)
        assert answer.status == 401, (path, answer.status)
        assert b"token" not in answer.text
    assert client.get("/login").status == 200 and client.get("/style.css").status == 200
    assert client.post("/api/settings", {"camera": 1}).status == 401
    assert client.post("/login", {"password": password}, Origin="http://evil.example").status == 403
    wrong = client.post("/login", {"password": password + "x"})
    assert wrong.status == 403 and wrong.headers["Set-Cookie"] is None
    right = client.post("/login", {"password": password})
    assert right.status == 200, right.text
    cookie = right.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie
    client.cookie = cookie.split(";")[0]
    assert client.get("/").status == 200
    assert client.json("/api/session")["login"] is True
    assert client.change("/api/settings", {"camera": 1, "threshold": 0.5}).status == 200
    assert client.change("/logout", {}).status == 200
    assert client.get("/api/state").status == 401
    client.cookie = ""
    codes = [client.post("/login", {"password": f"guess {i}"}).status for i in range(12)]
    assert codes[:4] == [403] * 4 and codes[-1] == 429, codes
    late = client.post("/login", {"password": password})
    assert late.status == 429 and late.headers["Retry-After"], late.status


def frames_scored(client: Client) -> int:
    return client.json("/api/state")["cameras"][0]["rates"]["frames"]


def idle(url: str) -> None:
    """No live picture is encoded while no one watches; then at most ten a second; then none again."""
    client = Client(url)
    first = frames_scored(client)
    until(lambda: frames_scored(client) > first + 15, "no frames come")
    assert client.json("/api/state")["encoded"] == 0
    stream = client.stream("/pictures?cameras=1")
    before = time.monotonic()
    data = b""
    while data.count(b"X-Camera: 1") < 15:
        data += stream.recv(65536)
    seconds = time.monotonic() - before
    assert seconds > 1.3, f"15 pictures in {seconds:.2f} s"
    head, rest = data.split(b"\r\n\r\n", 1)
    assert b"multipart/x-mixed-replace" in head, head
    part, rest = rest.split(b"\r\n\r\n", 1)
    length = int([line for line in part.split(b"\r\n") if line.lower().startswith(b"content-length")][0].split(b":")[1])
    assert rest[:2] == b"\xff\xd8" and rest[length - 2:length] == b"\xff\xd9", "not a JPEG file"
    stream.close()
    counts = []
    until(lambda: counts.append(client.json("/api/state")["encoded"]) or (len(counts) > 20 and len(set(counts[-20:])) == 1), "it goes on")
    encoded = counts[-1]
    assert 15 <= encoded <= 60, encoded
    first = frames_scored(client)
    until(lambda: frames_scored(client) > first + 15, "no frames come")
    assert client.json("/api/state")["encoded"] == encoded, "pictures are encoded without a viewer"


def stalled(url: str) -> None:
    """A viewer that takes nothing costs a bounded number of pictures, delays no other viewer, and is disconnected."""
    client = Client(url)
    dead = socket.socket()
    dead.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    dead.connect((client.host, client.port))
    dead.sendall(f"GET /pictures?cameras=1 HTTP/1.1\r\nHost: {client.place}\r\n\r\n".encode())
    alive = client.stream("/pictures?cameras=1")
    got = b""
    while got.count(b"X-Camera: 1") < 20:  # more than fit into the buffers of the stalled one
        more = alive.recv(65536)
        assert more, "the stream ended"
        got += more
    alive.close()
    # Alone, the stalled one gets what fits into the buffers, and then nothing is made for it. It is disconnected after 15 s, in which a
    # camera delivers 150 pictures.
    counts = []
    until(lambda: counts.append(client.json("/api/state")["encoded"]) or (len(counts) > 20 and len(set(counts[-20:])) == 1), f"it goes on: {counts[-5:]}")
    assert counts[-1] - counts[0] < 50, counts
    assert frames_scored(client) > 0
    dead.close()


def events(url: str) -> None:
    """The events show results and states, without addresses."""
    client = Client(url)
    stream = client.stream("/events")
    text = read_until(stream, b"event: result")
    text += read_until(stream, b"event: camera")
    assert b"text/event-stream" in text
    assert b"://" not in text.split(b"\r\n\r\n", 1)[1], text


def words(url: str) -> None:
    """New labels take effect, and the element's own words say so, or why not."""
    client = Client(url)
    stream = client.stream("/events")
    assert client.change("/api/labels", {"camera": 1, "labels": [{"name": "red", "often": None}, {"name": "blue", "often": 0.5}]}).status == 202
    assert b'"done":true' in read_until(stream, b"event: answer") + read_until(stream, b"\n\n")
    state = client.json("/api/state")["cameras"][0]
    assert state["labels"] == [{"name": "red", "often": None}, {"name": "blue", "often": 0.5}], state["labels"]
    for _ in range(2):  # the same answer to the same mistake
        stream = client.stream("/events")
        read_until(stream, b"retry")
        assert client.change("/api/labels", {"camera": 1, "labels": [{"name": "quark"}, {"name": "red"}]}).status == 202
        text = read_until(stream, b"event: answer")
        text += read_until(stream, b"stay in use")
        assert b"quark" in text, text
    assert [label["name"] for label in client.json("/api/state")["cameras"][0]["labels"]] == ["red", "blue"]
    assert client.change("/api/labels", {"camera": 1, "all": True}).status == 202
    until(lambda: len(client.json("/api/state")["cameras"][0]["labels"]) > 2, "the words of the model do not come back")


def teaches(url: str) -> None:
    """Feedback is learnt, and what it changed is shown."""
    client = Client(url)
    result = until(lambda: client.json("/api/state")["cameras"][0].get("result"), "no result comes")
    label = result["labels"][0]["name"]
    assert client.change("/api/feedback", {"camera": 1, "label": label, "present": False, "pts": result["pts"]}).status == 200
    lesson = until(lambda: [each for each in client.json("/api/state")["cameras"][0]["lessons"] if each["after"]], "nothing is reported")[0]
    assert lesson["label"] == label and lesson["learnt"] and not lesson["present"], lesson
    learnt = client.json("/api/learnt?camera=1")
    assert learnt["statements"] == 1 and learnt["taughtLabels"] == [label] and learnt["taughtOffsets"][0] < 0, learnt
    n = len(learnt["labels"])
    assert n > 1 and len(learnt["conditional"]) == n * n and all(0 <= p <= 1 for p in learnt["conditional"]), learnt
    wrong = client.change("/api/feedback", {"camera": 1, "label": "no such label", "present": True, "pts": ""})
    assert wrong.status == 409 and "no such label" in json.loads(wrong.text)["error"], wrong.text


def source_is(url: str, wanted: str) -> None:
    """Waits until the first camera is live, lost or ended; no page has its address."""
    client = Client(url)
    until(lambda: client.json("/api/state")["cameras"][0]["connection"] == wanted, f"it is not {wanted}")
    text = client.get("/api/state").text
    assert b"rtsp:" not in text and b"geheim" not in text and b"127.0.0.1" not in text, text
    state = json.loads(text)["cameras"][0]
    assert wanted != "lost" or state["reason"], state


def main() -> None:
    checks = {each.__name__: each for each in (headers, hosts, paths, changes, sizes, clients, login, idle, stalled, events, words, teaches, source_is)}
    names, *rest = sys.argv[1:]
    for name in names.split(","):
        print(name, flush=True)
        checks[name](*rest)


if __name__ == "__main__":
    main()
