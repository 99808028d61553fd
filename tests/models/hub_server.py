# SPDX-License-Identifier: LGPL-2.1-or-later
"""A server that speaks Hugging Face's API, with the faults of real ones: hub_server.py DIRECTORY

DIRECTORY/repositories/OWNER/NAME/ holds the files of a repository, DIRECTORY/files/ what is served as plain files. Two free
ports of this machine are used: their numbers go to DIRECTORY/port and DIRECTORY/other_port. LFS files are redirected to the
other port, as the Hub does. What is asked for goes to DIRECTORY/requests, a line each: port or "other", path, Range header or
"whole", Authorization header or "anonymous", and how many bytes of the body were sent.

DIRECTORY/repositories/OWNER/NAME.json says how a repository behaves:
    token       its API wants this token: 401 without, 403 with another
    gated       its files want this token, the API does not
    page        files on a page of the list (default: all)
    card        cardData of the answer;  tags: its tags
    wrong       paths that are served with one byte changed
    claim       sizes that the list claims, by path
    entries     keys that replace those of a file in the list, by its path: path, oid, size, lfs
    id          of the answer, instead of the name;  link: the Link header of the list, instead of the next page's

DIRECTORY/faults, read before each answer, is a list of faults, each {"path": REGEX, "fault": KIND, "times": N}:
    cut         closes the connection after two fifths of what was asked for
    silent      closes it after the headers
    stall       sends a first piece, then nothing
    slow        sends 64 kB every tenth of a second
    whole       ignores Range
    status      answers "status" with "headers", which may be a redirect to anywhere
    loop        redirects to itself
"""
import hashlib
import http.server
import json
import pathlib
import re
import sys
import threading
import time
import urllib.parse

DIRECTORY = pathlib.Path(sys.argv[1])
LFS_FROM = 1000  # bytes: smaller files are in Git itself
LOCK = threading.Lock()


def git_id(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Repository:
    def __init__(self, name):
        self.name = name
        self.folder = DIRECTORY / "repositories" / name
        settings = self.folder.parent / (self.folder.name + ".json")
        self.settings = json.loads(settings.read_text()) if settings.exists() else {}
        self.files = sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*") if p.is_file())
        self.commit = hashlib.sha1(json.dumps([[f, git_id(self.read(f))] for f in self.files]).encode()).hexdigest()

    def exists(self):
        return self.folder.is_dir()

    def read(self, path):
        return (self.folder / path).read_bytes()

    def entry(self, path):
        data = self.read(path)
        size = self.settings.get("claim", {}).get(path, len(data))
        entry = {"type": "file", "oid": git_id(data), "size": size, "path": path}
        if len(data) >= LFS_FROM:
            sha = hashlib.sha256(data).hexdigest()
            entry |= {"oid": git_id(sha.encode()), "lfs": {"oid": sha, "size": size, "pointerSize": 133}, "xetHash": sha}
        return entry | self.settings.get("entries", {}).get(path, {})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sent = 0

    def do_GET(self):
        self.sent = 0
        try:
            self.answer()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        with LOCK, open(DIRECTORY / "requests", "a") as log:
            log.write(" ".join([self.server.label, self.path, self.headers.get("Range", "whole"),
                                self.headers.get("Authorization", "anonymous").replace(" ", ":"), str(self.sent)]) + "\n")

    def do_HEAD(self):
        self.do_GET()

    def fault(self):
        with LOCK:
            path = DIRECTORY / "faults"
            faults = json.loads(path.read_text()) if path.exists() else []
            for fault in faults:
                if fault.get("times", 1) > 0 and re.search(fault["path"], self.server.label + self.path):
                    if "times" in fault:
                        fault["times"] -= 1
                        path.write_text(json.dumps(faults))
                    return fault
        return {}

    def answer(self):
        fault = self.fault()
        if fault.get("fault") == "status":
            return self.empty(fault["status"], fault.get("headers", {}))
        if fault.get("fault") == "loop":
            return self.empty(302, {"Location": self.path})
        url = urllib.parse.urlsplit(self.path)
        parts = [urllib.parse.unquote(part) for part in url.path.strip("/").split("/")]
        if parts[0] == "files":
            return self.data((DIRECTORY / "files" / "/".join(parts[1:])), fault)
        if parts[0] == "objects":
            repository = Repository("/".join(parts[1:3]))
            return self.file(repository, "/".join(parts[3:]), fault)
        if parts[:2] == ["api", "models"]:
            return self.api(Repository("/".join(parts[2:4])), parts[4], "/".join(parts[5:]), urllib.parse.parse_qs(url.query))
        if len(parts) > 4 and parts[2] == "resolve":
            return self.resolve(Repository("/".join(parts[:2])), parts[3], "/".join(parts[4:]), fault)
        return self.empty(404, {"X-Error-Code": "RepoNotFound"})

    def refused(self, wanted):
        """Answers and returns True where the token is wrong."""
        given = self.headers.get("Authorization", "")
        if not wanted or given == "Bearer " + wanted:
            return False
        self.empty(403 if given else 401, {"X-Error-Code": "GatedRepo"})
        return True

    def knows(self, repository, revision):
        if not repository.exists():
            # As the Hub: without a login, the answer does not show whether it exists.
            self.empty(404 if "Authorization" in self.headers else 401, {"X-Error-Code": "RepoNotFound"})
            return False
        if revision not in ("main", "refs/pr/1", repository.commit):
            self.empty(404, {"X-Error-Code": "RevisionNotFound"})
            return False
        return True

    def api(self, repository, kind, revision, query):
        if not self.knows(repository, revision) or self.refused(repository.settings.get("token")):
            return
        if kind == "revision":
            info = {"id": repository.settings.get("id", repository.name), "sha": repository.commit,
                    "tags": repository.settings.get("tags", []), "cardData": repository.settings.get("card", {})}
            return self.json(info)
        page = repository.settings.get("page", 1000)
        begin = int(query.get("cursor", ["0"])[0])
        files = [repository.entry(path) for path in repository.files]
        folders = sorted({f.rsplit("/", 1)[0] for f in repository.files if "/" in f})
        entries = [{"type": "directory", "oid": "0" * 40, "size": 0, "path": folder} for folder in folders] + files
        headers = {}
        if begin + page < len(entries):
            query = f"?recursive=true&cursor={begin + page}"
            headers["Link"] = f'<http://127.0.0.1:{PORT}{self.path.split("?")[0]}{query}>; rel="next"'
        if "link" in repository.settings:
            headers["Link"] = repository.settings["link"]
        self.json(entries[begin:begin + page], headers)

    def resolve(self, repository, revision, path, fault):
        if not self.knows(repository, revision):
            return
        if self.refused(repository.settings.get("token") or repository.settings.get("gated")):
            return
        if path not in repository.files:
            return self.empty(404, {"X-Error-Code": "EntryNotFound"})
        data = repository.read(path)
        common = {"X-Repo-Commit": repository.commit}
        if len(data) < LFS_FROM:
            return self.file(repository, path, fault, common | {"ETag": f'"{git_id(data)}"'})
        sha = hashlib.sha256(data).hexdigest()
        self.empty(302, common | {"X-Linked-ETag": f'"{sha}"', "X-Linked-Size": str(len(data)), "ETag": '"moved"',
                                  "Location": f"http://127.0.0.1:{OTHER_PORT}/objects/{repository.name}/{urllib.parse.quote(path)}?signed=1"})

    def file(self, repository, path, fault, headers=None):
        data = repository.read(path)
        if path in repository.settings.get("wrong", []):
            data = data[:-1] + bytes([data[-1] ^ 1])
        self.body(data, fault, headers or {"ETag": f'"{hashlib.md5(data).hexdigest()}"'})

    def data(self, path, fault):
        if not path.is_file():
            return self.empty(404, {})
        data = path.read_bytes()
        self.body(data, fault, {"ETag": f'"{hashlib.md5(data).hexdigest()}"'})

    def body(self, data, fault, headers):
        kind, begin = fault.get("fault"), 0
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if self.headers.get("If-Range", headers.get("ETag")) != headers.get("ETag"):
            asked = None
        if asked and kind != "whole":
            begin = int(asked[1])
            if begin >= len(data):
                return self.empty(416, {"Content-Range": f"bytes */{len(data)}"})
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        if self.command == "HEAD":
            return
        data = data[begin:]
        most = {"cut": len(data) * 2 // 5, "silent": 0, "stall": 50000}.get(kind, len(data))
        if kind == "slow":
            for at in range(0, len(data), 65536):
                self.put(data[at:at + 65536])
                time.sleep(0.1)
            return
        self.put(data[:most])
        if kind == "stall":
            time.sleep(60)
        self.close_connection = most < len(data)

    def put(self, data):
        self.wfile.write(data)
        self.wfile.flush()
        self.sent += len(data)

    def json(self, value, headers=None):
        data = json.dumps(value).encode()
        self.send_response(200)
        for name, content in ({"Content-Type": "application/json"} | (headers or {})).items():
            self.send_header(name, content)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.put(data)

    def empty(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def listen(label):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.label = label
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


PORT, OTHER_PORT = listen("hub"), listen("other")
(DIRECTORY / "other_port").write_text(str(OTHER_PORT))
(DIRECTORY / "port.part").write_text(str(PORT))
(DIRECTORY / "port.part").rename(DIRECTORY / "port")
threading.Event().wait()
