# SPDX-License-Identifier: LGPL-2.1-or-later
"""A mirror with the faults of real ones: checkpoint_server.py FILE DIRECTORY

Serves FILE on a free port of this machine, whose number it writes to DIRECTORY/port. What is asked for goes to
DIRECTORY/requests, a line each: path, then the Range header or "whole". The first part of the path says how it behaves:
    /good/       as it should, ranges included
    /whole/      without ranges: always from the beginning
    /cut/        closes each connection after two fifths of the file
    /silent/     closes each connection after the headers
    /slow/       sends a first piece, then nothing for a minute
    /busy/       503 at first, then as it should
    /flat/       only /flat/NAME exists, not /flat/SUM/NAME
    /missing/    404
"""
import http.server
import pathlib
import re
import sys
import time

CONTENT = pathlib.Path(sys.argv[1]).read_bytes()
DIRECTORY = pathlib.Path(sys.argv[2])


class Mirror(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    busy = True

    def do_GET(self):
        wanted = self.headers.get("Range", "whole")
        with open(DIRECTORY / "requests", "a") as log:
            log.write(f"{self.path} {wanted}\n")
        kind, *names = self.path.strip("/").split("/")
        if kind == "missing" or (kind == "flat" and len(names) > 1):
            return self.refuse(404)
        if kind == "busy" and Mirror.busy:
            Mirror.busy = False
            return self.refuse(503)
        begin = 0
        asked = re.fullmatch(r"bytes=(\d+)-", wanted)
        if asked and kind != "whole":
            begin = int(asked[1])
            if begin >= len(CONTENT):
                return self.refuse(416)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{len(CONTENT) - 1}/{len(CONTENT)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT) - begin))
        self.end_headers()
        most = {"cut": len(CONTENT) * 2 // 5, "silent": 0, "slow": 500000}.get(kind, len(CONTENT))
        self.wfile.write(CONTENT[begin : begin + most])
        if kind == "slow":
            self.wfile.flush()
            time.sleep(60)
        self.close_connection = most < len(CONTENT)

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mirror)
(DIRECTORY / "port.part").write_text(str(server.server_port))
(DIRECTORY / "port.part").rename(DIRECTORY / "port")
server.serve_forever()
