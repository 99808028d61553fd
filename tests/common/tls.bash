# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Certificates for a case, made by openssl in $SCRATCH.
: "${SCRATCH:?}"

readonly tls_here=IP:127.0.0.1,DNS:localhost  # the names of a server of this machine

# A certificate authority: $1.pem and $1.key.
make_authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem" -days 30 \
    -subj "/CN=$1" -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign 2>/dev/null
}

# A certificate that signs itself: $1.pem and $1.key, for the names $2.
make_self_signed() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem" -days 30 \
    -subj "/CN=$1" -addext "subjectAltName=${2:-$tls_here}" 2>/dev/null
}

# A certificate signed by the authority $2: $1.pem and $1.key, for the names $3. $4 is "expired", or nothing.
make_signed() {
  local name=$1 authority=$2 names=${3:-$tls_here} validity=${4:-valid}
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$name.key" -out "$name.csr" -subj "/CN=$name" 2>/dev/null
  printf 'subjectAltName=%s\n' "$names" >"$name.ext"
  local sign=(openssl x509 -req -in "$name.csr" -CA "$authority.pem" -CAkey "$authority.key" -set_serial "0x$(openssl rand -hex 8)"
    -extfile "$name.ext" -out "$name.pem")
  if [ "$validity" = valid ]; then
    "${sign[@]}" -days 30 2>/dev/null
  else
    # Dates are an option from OpenSSL 3.4 on, which refuses negative days.
    "${sign[@]}" -not_before 20200101000000Z -not_after 20200201000000Z 2>/dev/null || "${sign[@]}" -days -1 2>/dev/null
  fi
}

# The SHA-256 fingerprint of the certificate $1.pem, as openssl writes it: AB:CD:…
fingerprint_of() { openssl x509 -noout -fingerprint -sha256 -in "$1.pem" | sed 's/.*=//'; }
