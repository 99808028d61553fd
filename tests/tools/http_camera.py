# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera that sends JPEG pictures over HTTP, one after the other (multipart/x-mixed-replace), ten a second.

    http_camera.py PORT COUNT FILE...

Port 0 takes a free one; it is the first line printed. The files are sent in turn, for as long as somebody watches. With a COUNT
above 0, each who connects gets so many at once, and no more.
"""

from __future__ import annotations

import http.server
import itertools
import pathlib
import sys
import time


class Camera(http.server.BaseHTTPRequestHandler):
    pictures = [pathlib.Path(name).read_bytes() for name in sys.argv[3:]]
    count = int(sys.argv[2])

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        try:
            for picture in itertools.islice(itertools.cycle(self.pictures), self.count or None):
                self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(picture))
                self.wfile.write(picture + b"\r\n")
                if self.count == 0:
                    time.sleep(0.1)
        except OSError:
            pass  # the client has disconnected

    def log_message(self, *_: object) -> None:
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Camera)
print(server.server_address[1], flush=True)
server.serve_forever()
