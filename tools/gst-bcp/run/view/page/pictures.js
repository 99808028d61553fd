// SPDX-License-Identifier: LGPL-2.1-or-later
// Live pictures: one connection carries those of all cameras on the screen, as parts of a multipart response. Pictures
// of cameras that are out of sight are not asked for, so they are not encoded.

const pictures = {
  wanted: new Set(), // of the open connection
  visible: new Map(), // element -> camera
  onPicture: () => {},
  abort: null,
  retry: 0,
};

// Bytes that arrive in pieces of any size.
class Pieces {
  #bytes = new Uint8Array(0);

  add(more) {
    const joined = new Uint8Array(this.#bytes.length + more.length);
    joined.set(this.#bytes);
    joined.set(more, this.#bytes.length);
    this.#bytes = joined;
  }
  // The next part: its camera and its JPEG file; null: not complete yet.
  take() {
    const headEnd = this.#findHeadEnd();
    if (headEnd < 0) return null;
    const head = new TextDecoder().decode(this.#bytes.subarray(0, headEnd));
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    const camera = Number(/x-camera: (\d+)/i.exec(head)?.[1]);
    const start = headEnd + 4;
    if (!(this.#bytes.length >= start + length + 2)) return null;
    const jpeg = this.#bytes.slice(start, start + length);
    this.#bytes = this.#bytes.slice(start + length + 2);
    return { camera, jpeg };
  }
  #findHeadEnd() {
    const bytes = this.#bytes;
    for (let i = 0; i + 3 < bytes.length; i += 1) {
      if (bytes[i] === 13 && bytes[i + 1] === 10 && bytes[i + 2] === 13 && bytes[i + 3] === 10) return i;
    }
    return -1;
  }
}

async function streamPictures(cameras) {
  const controller = new AbortController();
  pictures.abort = controller;
  try {
    const response = await fetch(`/pictures?cameras=${[...cameras].join(",")}`, { signal: controller.signal, cache: "no-store" });
    if (!response.ok) throw new Refused(String(response.status));
    const reader = response.body.getReader();
    const pieces = new Pieces();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.add(value);
      for (let part = pieces.take(); part; part = pieces.take()) {
        pictures.onPicture(part.camera, URL.createObjectURL(new Blob([part.jpeg], { type: "image/jpeg" })));
      }
    }
  } catch {
    // The connection is lost, or was closed here.
  }
  if (controller.signal.aborted) return;
  pictures.wanted = new Set();
  pictures.retry = setTimeout(choosePictures, 2000);
}

// Opens the connection for the cameras in sight, if they have changed.
const choosePictures = settled(() => {
  const wanted = new Set(document.hidden ? [] : pictures.visible.values());
  if (wanted.size === pictures.wanted.size && [...wanted].every((id) => pictures.wanted.has(id))) return;
  clearTimeout(pictures.retry);
  pictures.abort?.abort();
  pictures.wanted = wanted;
  if (wanted.size > 0) streamPictures(wanted);
}, 250);

const pictureObserver = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) pictures.visible.set(entry.target, Number(entry.target.dataset.camera));
    else pictures.visible.delete(entry.target);
  }
  choosePictures();
});

// An <img> that shows a camera while it is in sight.
function watchPicture(image, camera) {
  pictureObserver.unobserve(image);
  pictures.visible.delete(image);
  image.dataset.camera = camera;
  pictureObserver.observe(image);
}

document.addEventListener("visibilitychange", choosePictures);
