# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp model get from a Hub on this machine: its requests, its handling of errors, and whether the models then run.
set -euo pipefail
# shellcheck source=tests/models/hub.bash
. "${ROOT:?}/tests/models/hub.bash"

Get.InstallsAModelThatTheElementRuns() {
  make_repository acme/clip
  start_hub
  get hf:acme/clip
  expect_status 0
  expect_output '^acme/clip at [0-9a-f]{7}, fp32: 6 files, 1\.0 MB; licence: '
  expect_output 'onnx/vision_model\.onnx: 1\.0 MB, .*/s, verified'
  expect_output "^Installed: $models/clip \(Hugging Face, 1\.0 MB, pictures of 224 x 224, any labels\)\$"
  expect_output '^Try it: gst-launch-1\.0 .* bcptagger model=clip '
  expect_model clip
  try bcp model list
  expect_output '^clip +Hugging Face +1\.0 MB +224 x 224 +text tower '
  # Neither the other variants nor PyTorch's weights were asked for.
  expect_requests 0 'fp16|quantized|pytorch_model|gitattributes'
}

Get.TakesTheVariantAskedForUnderANameOfItsOwn() {
  make_repository acme/clip
  start_hub
  get hf:acme/clip --variant q8
  expect_status 0
  expect_output '^Installed: .*/models/clip-q8 '
  expect_requests 1 '^other .*vision_model_quantized\.onnx'
  expect_requests 0 'vision_model\.onnx'
  expect_model clip-q8
  get hf:acme/clip --variant q4
  expect_failure
  expect_one_sentence
  expect_output 'acme/clip has no variant q4 of onnx/vision_model\.onnx: choose one of fp16, fp32, int8$'
}

Get.TakesOtherLayouts() {
  make_repository acme/immich immich
  make_repository acme/external external
  start_hub
  get hf:acme/immich
  expect_status 0
  expect_requests 0 'armnn'
  expect_model immich
  get acme/external --name parts
  expect_status 0
  expect_requests 1 '^other .*vision_model\.onnx_data'
  expect_model parts
}

Get.TakesThePageOfARepository() {
  make_repository acme/clip
  start_hub
  get "$hub/acme/clip/tree/main/onnx"
  expect_status 0
  expect_model clip
}

Get.ReadsTheListOfFilesPageByPage() {
  make_repository acme/clip
  behave acme/clip '{"page": 2}'
  start_hub
  get hf:acme/clip
  expect_status 0
  expect_requests 7 '/tree/'
  expect_model clip
}

Get.ShowsTheLicence() {
  make_repository acme/clip
  behave acme/clip '{"card": {"license": "other", "license_name": "acme-research"}}'
  make_repository acme/tagged
  behave acme/tagged '{"tags": ["clip", "license:apache-2.0"]}'
  start_hub
  get hf:acme/clip
  expect_output '; licence: acme-research$'
  get hf:acme/tagged
  expect_output '; licence: apache-2\.0$'
  try bcp model list
  expect_output '^tagged .* apache-2\.0 +/'
}

Get.OnlySaysWhatItWouldDoInADryRun() {
  make_repository acme/clip
  start_hub
  get hf:acme/clip --dry-run
  expect_status 0
  expect_output '^1\.0 MB	onnx/vision_model\.onnx$'
  expect_requests 0 '/resolve/'
  expect_no_model clip
}

Get.LeavesAnInstalledModelAloneUnlessAskedTo() {
  make_repository acme/clip
  make_repository other/clip immich
  start_hub
  get hf:acme/clip
  : >"$SCRATCH/requests"
  get hf:acme/clip
  expect_status 0
  expect_output 'clip is installed already'
  expect_requests 0 '.'
  get hf:other/clip
  expect_failure
  expect_one_sentence
  expect_output 'already exists and was installed from hf:acme/clip: .*--name.*--again'
  get hf:other/clip --again
  expect_status 0
  expect_output 'Immich'
  expect_model clip
}

Get.DeletesNothingThatIsNotAModel() {
  make_repository acme/clip
  start_hub
  mkdir -p "$SCRATCH/home/photos"
  echo x >"$SCRATCH/home/photos/me.jpg"
  echo y >"$SCRATCH/home/letter"
  local name again
  for name in photos letter; do
    for again in "" --again; do
      get hf:acme/clip --into "$SCRATCH/home" --name "$name" ${again:+"$again"}
      expect_status 1
      expect_one_sentence
      expect_output "home/$name already exists and is not a model, so it is not replaced: choose another name with --name\$"
    done
  done
  [ "$(cat "$SCRATCH/home/photos/me.jpg")$(cat "$SCRATCH/home/letter")" = xy ] || flunk "$(find "$SCRATCH/home")"
  expect_requests 0 '/resolve/'
  # A model of the user's own is replaced with --again only.
  mkdir "$SCRATCH/home/own"
  cp "$ROOT/tests/data/layouts/vision_model.onnx" "$SCRATCH/home/own"
  get hf:acme/clip --into "$SCRATCH/home" --name own
  expect_status 1
  expect_output 'own already exists and was not installed by gst-bcp model get: .*--again'
  [ -f "$SCRATCH/home/own/vision_model.onnx" ] || flunk "the model was replaced"
  get hf:acme/clip --into "$SCRATCH/home" --name own --again
  expect_status 0
}

Get.LeavesWhatAppearsWhileItDownloads() {
  local process
  make_repository acme/clip
  start_hub
  faults '[{"path": "^other.*vision_model", "fault": "slow"}]'
  bcp model get hf:acme/clip >"$SCRATCH/said" 2>&1 &
  process=$!
  for _ in $(seq 100); do
    if [ -n "$(find "$cached" -name '*.incomplete' -size +0 2>/dev/null)" ]; then break; fi
    sleep 0.1
  done
  mkdir -p "$models/clip"
  echo x >"$models/clip/me.jpg"
  status=0
  wait "$process" || status=$?
  output=$(cat "$SCRATCH/said")
  expect_status 1
  expect_output 'clip already exists and is not a model'
  [ -f "$models/clip/me.jpg" ] || flunk "what appeared was deleted"
}

# --- the cache

Get.KeepsTheCacheAsHuggingFaceHubDoes() {
  local object folder
  make_repository acme/clip
  start_hub
  get hf:acme/clip
  folder=$cached/models--acme--clip
  object=$(sha256_of "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx")
  cmp "$folder/blobs/$object" "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx"
  [ "$(readlink "$folder/snapshots/$(cat "$folder/refs/main")/onnx/vision_model.onnx")" = "../../../blobs/$object" ] || flunk "$(find "$folder")"
  # Small files are called by Git's object id.
  object=$(git hash-object "$SCRATCH/repositories/acme/clip/config.json")
  [ "$(readlink "$folder/snapshots/$(cat "$folder/refs/main")/config.json")" = "../../blobs/$object" ] || flunk "$(find "$folder")"
  [ -z "$(find "$cached" -name '*.incomplete')" ] || flunk "something unfinished was left: $(find "$cached")"
}

Get.WritesNothingIntoTheSharedCache() {
  local blob
  make_repository acme/clip
  echo '{"source": "theirs"}' >"$SCRATCH/repositories/acme/clip/source.json"
  echo '{"presence": {"scale": 1.5}}' >"$SCRATCH/repositories/acme/clip/presence.json"
  start_hub
  get hf:acme/clip --file source.json
  expect_status 0
  blob=$cached/models--acme--clip/blobs/$(git hash-object "$SCRATCH/repositories/acme/clip/source.json")
  [ "$(cat "$blob")" = '{"source": "theirs"}' ] || flunk "the cache holds $(cat "$blob")"
  grep -q '"source": "hf:acme/clip"' "$models/clip/source.json" || flunk "$(cat "$models/clip/source.json")"
  # What gst-bcp model calibrate writes to.
  if [ -L "$models/clip/presence.json" ] || ! grep -q 1.5 "$models/clip/presence.json"; then flunk "$(ls -l "$models/clip")"; fi
  expect_model clip
}

Get.DownloadsNothingThatTheCacheHas() {
  make_repository acme/clip
  start_hub
  get hf:acme/clip
  get hf:acme/clip --name twin
  expect_status 0
  expect_output 'All files are in the cache'
  expect_requests 1 '^other .*vision_model'
  # Damaged since: it has another length.
  truncate -s 5 "$cached/models--acme--clip/blobs/$(sha256_of "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx")"
  get hf:acme/clip --again
  expect_status 0
  expect_output 'is damaged: downloading it again'
  expect_requests 2 '^other .*vision_model'
  expect_model clip
}

Get.WorksOfflineFromTheCache() {
  make_repository acme/clip
  start_hub
  get hf:acme/clip
  : >"$SCRATCH/requests"
  HF_HUB_OFFLINE=1 get hf:acme/clip --name again
  expect_status 0
  expect_model again
  expect_requests 0 '.'
  HF_HUB_OFFLINE=1 get hf:acme/other
  expect_failure
  expect_one_sentence
  expect_output 'HF_HUB_OFFLINE is set, but .* has no revision main of acme/other'
  HF_ENDPOINT=http://127.0.0.1:9 get hf:acme/clip --name third
  expect_status 0
  expect_output '127\.0\.0\.1:9 is out of reach: using the cache'
  HF_ENDPOINT=http://127.0.0.1:9 get hf:acme/other
  expect_failure
  expect_one_sentence
  expect_output '127\.0\.0\.1:9 is out of reach \('
}

Get.TwoProcessesDownloadAFileOnce() {
  local first second
  make_repository acme/clip
  start_hub
  faults '[{"path": "^other.*vision_model", "fault": "slow"}]'
  bcp model get hf:acme/clip --name one >"$SCRATCH/one" 2>&1 &
  first=$!
  bcp model get hf:acme/clip --name two >"$SCRATCH/two" 2>&1 &
  second=$!
  wait "$first" || flunk "$(cat "$SCRATCH/one")"
  wait "$second" || flunk "$(cat "$SCRATCH/two")"
  output=$(cat "$SCRATCH/one" "$SCRATCH/two")
  expect_output 'Another process is downloading onnx/vision_model\.onnx: waiting for it'
  expect_requests 1 '^other .*vision_model'
  expect_model one
  expect_model two
}

# --- faults

Get.GoesOnWhereTheConnectionWasCut() {
  make_repository acme/clip
  start_hub
  faults '[{"path": "^other.*vision_model", "fault": "cut", "times": 3}]'
  get hf:acme/clip
  expect_status 0
  expect_output 'The connection to 127\.0\.0\.1:[0-9]+ was cut at 403 kB \(.*\): retrying'
  expect_requests 4 '^other .*vision_model'
  # Not a byte of it came twice.
  [ "$(bytes_sent '^other .*vision_model')" -eq "$(stat -c %s "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx")" ] ||
    flunk "$(cat "$SCRATCH/requests")"
  expect_model clip
}

Get.GivesUpOnAServerThatSendsNothingAndKeepsWhatIsThere() {
  local partial
  make_repository acme/clip
  start_hub
  faults '[{"path": "^other.*vision_model", "fault": "cut", "times": 1}, {"path": "^other.*vision_model", "fault": "silent"}]'
  get hf:acme/clip
  expect_status 1
  expect_one_sentence
  expect_output 'keeps failing .*run this again to resume it at 403 kB'
  expect_no_model clip
  partial=$cached/models--acme--clip/blobs/$(sha256_of "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx").incomplete
  [ "$(stat -c %s "$partial")" -eq 402644 ] || flunk "$(ls -l "$partial")"
  : >"$SCRATCH/requests"
  faults '[]'
  get hf:acme/clip
  expect_status 0
  expect_output 'Resuming onnx/vision_model\.onnx at 403 kB'
  expect_requests 1 '^other .*vision_model.* bytes=402644- '
  expect_requests 1 '^other .*vision_model'
  expect_model clip
}

Get.StartsAgainWhereTheServerCannotResume() {
  local partial
  make_repository acme/clip
  start_hub
  partial=$cached/models--acme--clip/blobs/$(sha256_of "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx").incomplete
  mkdir -p "$(dirname "$partial")"
  head -c 600000 "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx" >"$partial"
  faults '[{"path": "vision_model", "fault": "whole"}]'
  get hf:acme/clip
  expect_status 0
  expect_output 'cannot resume onnx/vision_model\.onnx: starting again'
  expect_model clip
}

Get.StartsAgainWhenTheRestDoesNotFit() {
  local partial
  make_repository acme/clip
  start_hub
  partial=$cached/models--acme--clip/blobs/$(sha256_of "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx").incomplete
  mkdir -p "$(dirname "$partial")"
  head -c 600000 /dev/zero >"$partial"
  get hf:acme/clip
  expect_status 0
  expect_output 'have a wrong checksum: starting again'
  expect_model clip
}

Get.AcceptsNoDataForAnEmptyFile() {
  make_repository acme/clip
  : >"$SCRATCH/repositories/acme/clip/NOTICE"
  behave acme/clip '{"claim": {"config.json": 0}}'
  make_repository acme/empty
  : >"$SCRATCH/repositories/acme/empty/NOTICE"
  start_hub
  # A size of 0 does not mean "no limit".
  get hf:acme/clip
  expect_status 1
  expect_one_sentence
  expect_output 'config\.json was removed'
  expect_requests 0 'resolve/[0-9a-f]*/config\.json'
  get hf:acme/empty
  expect_status 0
  if [ ! -f "$models/empty/NOTICE" ] || [ -s "$models/empty/NOTICE" ]; then flunk "$(ls -l "$models/empty")"; fi
}

Get.RefusesAFileWithAnotherChecksum() {
  make_repository acme/clip
  behave acme/clip '{"wrong": ["onnx/vision_model.onnx"]}'
  make_repository acme/small
  behave acme/small '{"wrong": ["config.json"]}'
  start_hub
  get hf:acme/clip
  expect_status 1
  expect_one_sentence
  expect_output "onnx/vision_model\.onnx was removed: its sha256 is [0-9a-f]{64} instead of $(sha256_of "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx")"
  expect_no_model clip
  [ -z "$(find "$cached" -path '*blobs*' -size +900k)" ] || flunk "the wrong file was kept: $(find "$cached")"
  get hf:acme/small
  expect_status 1
  expect_output "config\.json was removed: its Git object id is [0-9a-f]{40} instead of $(git hash-object "$SCRATCH/repositories/acme/small/config.json")"
}

Get.AsksForATokenWhereOneIsNeeded() {
  make_repository acme/gated
  behave acme/gated '{"gated": "hf_right"}'
  start_hub
  get hf:acme/gated
  expect_status 1
  expect_one_sentence
  expect_output "acme/gated is gated \(HTTP status 401\): log in and accept its terms at $hub/acme/gated, then set HF_TOKEN"
  HF_TOKEN=hf_wrong get hf:acme/gated
  expect_status 1
  expect_output 'your token gives no access \(HTTP status 403\)'
  : >"$SCRATCH/requests"
  HF_TOKEN=hf_right get hf:acme/gated
  expect_status 0
  expect_model gated
  # The other host, to which the Hub redirects, must not learn the token.
  [ -n "$(requests '^hub .*Bearer:hf_right')" ] || flunk "the token was not sent: $(cat "$SCRATCH/requests")"
  [ -n "$(requests '^other .*anonymous')" ] || flunk "nothing was redirected: $(cat "$SCRATCH/requests")"
  expect_requests 0 '^other .*Bearer'
}

Get.ReadsTheTokenFileOfHuggingFaceHub() {
  make_repository acme/private
  behave acme/private '{"token": "hf_right"}'
  start_hub
  mkdir -p "$SCRATCH/home"
  echo hf_right >"$SCRATCH/home/token"
  HF_HOME=$SCRATCH/home get hf:acme/private
  expect_status 0
  [ -d "$SCRATCH/home/hub/models--acme--private" ] || flunk "HF_HOME is not where the cache is"
  HF_TOKEN=$'hf_right\nX-Evil: 1' get hf:acme/private --name other
  expect_status 1
  expect_output 'token has invalid characters'
}

Get.SaysWhatDoesNotExist() {
  make_repository acme/clip
  start_hub
  get hf:acme/clop
  expect_status 1
  expect_one_sentence
  expect_output "there is no repository acme/clop at 127\.0\.0\.1:[0-9]+ \(HTTP status 401\), or it is private and HF_TOKEN is not set"
  get hf:Xenova/clip-vit-base-patch23
  expect_output 'did you mean hf:Xenova/clip-vit-base-patch32\?'
  get hf:acme/clip@v2
  expect_status 1
  expect_output 'acme/clip has no revision v2 \(HTTP status 404\)'
  get siglip2-bas
  expect_status 1
  expect_output 'there is no model siglip2-bas: did you mean siglip2-base\?'
  get hf:acme
  expect_status 1
  expect_output 'hf:acme does not name a repository'
}

Get.SaysThatARepositoryHasNoOnnxFile() {
  make_repository acme/weights weights
  start_hub
  get hf:acme/weights
  expect_status 1
  expect_one_sentence
  expect_output 'acme/weights has no ONNX file, only PyTorch weights \(model\.safetensors\): .*hf:Xenova/clip-vit-base-patch32.*export_clip\.py'
}

Get.DoesNotInstallAModelThatCannotBeUsed() {
  make_repository acme/broken
  cp "$ROOT/tests/data/layouts/unprojected.onnx" "$SCRATCH/repositories/acme/broken/onnx/vision_model.onnx"
  start_hub
  get hf:acme/broken
  expect_status 1
  expect_one_sentence
  expect_output 'broken was downloaded but not installed, because it does not work: '
  expect_no_model broken
}

Get.SaysWhereTheScaleOfASiglipIs() {
  make_repository acme/odd
  sed -i 's/"model_type": "clip"/"model_type": "siglip"/; s/CLIPModel/SiglipModel/' "$SCRATCH/repositories/acme/odd/config.json"
  cp "$ROOT/tests/data/families/siglip/tokenizer.json" "$SCRATCH/repositories/acme/odd"
  start_hub
  get hf:acme/odd
  expect_status 1
  expect_one_sentence
  expect_output 'lack its trained logit_scale and logit_bias, .*: use a repository with onnx/model\.onnx.* copy .*/snapshots/[0-9a-f]{40}, '
  expect_no_output '\.download'
  cp "$ROOT/tests/data/layouts/vision_model.onnx" "$SCRATCH/repositories/acme/odd/onnx/model_fp16.onnx"
  get hf:acme/odd
  expect_status 1
  expect_one_sentence
  expect_output 'lack its trained logit_scale and logit_bias, .*: run this again with --file onnx/model_fp16\.onnx'
  expect_no_output '\.download'
}

Get.WaitsWhenTheServerRequestsIt() {
  local begin=$SECONDS
  make_repository acme/clip
  start_hub
  faults '[{"path": "^hub/api", "fault": "status", "status": 429, "headers": {"Retry-After": "2"}, "times": 1},
    {"path": "^other", "fault": "status", "status": 503, "times": 1}]'
  get hf:acme/clip
  expect_status 0
  expect_output '127\.0\.0\.1:[0-9]+ requests a pause of 2 s \(HTTP status 429\)'
  expect_output 'is busy \(HTTP status 503\): retrying'
  [ $((SECONDS - begin)) -ge 2 ] || flunk "it did not wait"
  expect_model clip
  faults '[{"path": "^hub/api", "fault": "status", "status": 429, "headers": {"RateLimit": "\"api\";r=0;t=3000"}}]'
  get hf:acme/clip --again
  expect_status 1
  expect_one_sentence
  expect_output 'rejects more requests for now \(HTTP status 429\): run this again in 3000 s'
  expect_model clip
}

Get.GivesUpOnEndlessRedirects() {
  make_repository acme/clip
  start_hub
  faults '[{"path": "vision_model", "fault": "loop"}]'
  get hf:acme/clip
  expect_status 1
  expect_one_sentence
  expect_output 'onnx/vision_model\.onnx was redirected more than 10 times'
}

Get.DoesNotWaitForEverForASilentServer() {
  make_repository acme/clip
  start_hub
  faults '[{"path": "^other.*vision_model", "fault": "stall", "times": 1}]'
  get hf:acme/clip --timeout 1
  expect_status 0
  expect_output 'was cut at 50\.0 kB'
  expect_model clip
}

Get.SaysThatTheDiskIsFull() {
  make_repository acme/clip
  behave acme/clip '{"claim": {"onnx/vision_model.onnx": 900000000000000}}'
  make_repository acme/other
  start_hub
  get hf:acme/clip
  expect_status 1
  expect_one_sentence
  expect_output '900 TB must be downloaded, but .* has only .* left: free some space, or set HF_HUB_CACHE'
  expect_requests 0 '/resolve/'
  # The limit on the size of files plays the full disk; the program must not be killed by its signal.
  # shellcheck disable=SC2016  # for the other shell
  try bash -c 'trap "" XFSZ; ulimit -f 500; "$1" model get hf:acme/other' - "$BUILD/tools/gst-bcp/gst-bcp"
  expect_status 1
  expect_output 'the disk is full: .*\.incomplete is incomplete'
  get hf:acme/other
  expect_status 0
  expect_output 'Resuming onnx/vision_model\.onnx'
}

Get.KeepsWhatWasDownloadedWhenInterrupted() {
  local process partial
  make_repository acme/clip
  start_hub
  faults '[{"path": "^other.*vision_model", "fault": "slow"}]'
  partial=$cached/models--acme--clip/blobs/$(sha256_of "$SCRATCH/repositories/acme/clip/onnx/vision_model.onnx").incomplete
  "$BUILD/tools/gst-bcp/gst-bcp" model get hf:acme/clip >"$SCRATCH/said" 2>&1 &
  process=$!
  for _ in $(seq 100); do
    if [ -s "$partial" ]; then break; fi
    sleep 0.1
  done
  kill -TERM "$process"
  status=0
  wait "$process" || status=$?
  output=$(cat "$SCRATCH/said")
  expect_status 130
  expect_one_sentence
  expect_output 'interrupted: downloaded data is kept, and the same command resumes'
  [ -s "$partial" ] || flunk "nothing was kept: $output"
  faults '[]'
  get hf:acme/clip
  expect_status 0
  expect_output 'Resuming onnx/vision_model\.onnx at'
  expect_model clip
}

Get.RefusesNamesThatLeadOutOfTheCache() {
  make_repository acme/clip
  start_hub
  get 'hf:../clip'
  expect_status 1
  get 'hf:acme/clip@../../x'
  expect_status 1
  expect_output 'does not name a repository'
  get hf:acme/clip --name ../up
  expect_status 1
  expect_output "is not a valid name of a model"
  expect_requests 0 '/resolve/'
}

Get.PrintsNoSecret() {
  local address
  make_repository acme/clip
  start_hub
  export HF_ENDPOINT=http://me:sesame@${hub#http://}
  get hf:acme/clip
  expect_status 0
  expect_output "licence: the repository names none, see $hub/acme/clip"
  expect_no_output sesame
  get hf:acme/clop
  expect_no_output sesame
  behave acme/clip '{"gated": "hf_right"}'
  get hf:acme/clip@refs%2Fpr%2F1 --name other
  expect_no_output sesame
  behave acme/clip '{"entries": {"config.json": {"path": "../x"}}}'
  get hf:acme/clip --again
  expect_output 'does not answer as Hugging Face does'
  expect_no_output sesame
  for address in "http://me:sesame@${hub#http://}/files/none.onnx?sig=opensesame&X-Credential=sesame" "https://me:sesame@/x.onnx?X-Credential=sesame" \
    'https://me:sesame@127.0.0.1:9/x.onnx?X-Credential=sesame'; do
    get --name mine "$address" --sha256 "$(printf '0%.0s' {1..64})"
    expect_status 1
    expect_no_output sesame
    get --name mine "$address"
    expect_status 1
    expect_no_output sesame
    get openai:RN50 --base-url "$address" --no-export
    expect_no_output sesame
    get openai:RN50 --base-url "$address" --no-export --dry-run
    expect_no_output sesame
  done
  HF_ENDPOINT='me:sesame@nowhere?sesame' get hf:acme/clip --name fourth
  expect_status 1
  expect_no_output sesame
}

Get.BlamesTheServerThatFailed() {
  make_repository acme/clip
  start_hub
  faults '[{"path": "^other.*vision_model", "fault": "status", "status": 403}]'
  get hf:acme/clip
  expect_status 1
  expect_one_sentence
  expect_output "onnx/vision_model\.onnx was refused by 127\.0\.0\.1:$(cat "$SCRATCH/other_port") \(HTTP status 403\)"
  faults '[{"path": "^other.*vision_model", "fault": "status", "status": 404}]'
  get hf:acme/clip
  expect_status 1
  expect_output "127\.0\.0\.1:$(cat "$SCRATCH/other_port")/objects/acme/clip/onnx/vision_model\.onnx does not exist \(HTTP status 404\)"
  faults '[{"path": "^hub/acme.*vision_model", "fault": "status", "status": 302, "headers": {"Location": "http://127.0.0.1:9/x"}}]'
  get hf:acme/clip
  expect_status 1
  expect_output '127\.0\.0\.1:9 is out of reach \('
  faults '[{"path": "^hub/acme.*vision_model", "fault": "status", "status": 404, "headers": {"X-Error-Code": "EntryNotFound"}}]'
  get hf:acme/clip
  expect_status 1
  expect_one_sentence
  expect_output 'vision_model\.onnx does not exist \(HTTP status 404\), although acme/clip lists it'
}

# --- malicious servers

Get.SurvivesARedirectToNowhere() {
  local location
  make_repository acme/clip
  start_hub
  for location in http:foo http:///x http: // 'http://[' ftp://127.0.0.1/x file:///etc/passwd; do
    faults '[{"path": "^hub/acme.*vision_model", "fault": "status", "status": 302, "headers": {"Location": "'"$location"'"}}]'
    get hf:acme/clip
    expect_status 1
    expect_one_sentence
    expect_output 'onnx/vision_model\.onnx was redirected by 127\.0\.0\.1:[0-9]+ to an address that is not http or https'
  done
  expect_no_model clip
}

Get.SurvivesLongTexts() {
  local long
  make_repository acme/clip
  start_hub
  # The name of a repository: 2 MB of it are not one.
  long=$(head -c 2000000 /dev/zero | tr '\0' a)
  behave acme/clip "{\"id\": \"acme/$long\"}"
  get hf:acme/clip
  expect_status 0
  expect_model clip
  # A Link header just below what libsoup takes.
  behave acme/clip "{\"link\": \"<${long:0:60000}\"}"
  get hf:acme/clip --name other
  expect_status 0
  behave acme/clip "{\"link\": \"<http://127.0.0.1:9/x>; rel=last, </next>; rel=next\"}"
  get hf:acme/clip --name third
  expect_status 1
  expect_one_sentence
  expect_output '/next is not an http or https address'
}

Get.RefusesAListThatLeadsOutOfTheCache() {
  local entry
  make_repository acme/clip
  start_hub
  for entry in '"path": "../../../escaped"' '"path": "/tmp/escaped"' '"path": "onnx/../../escaped"' '"path": ""' '"path": "a\u0000b"' \
    '"oid": "../../escaped"' '"oid": "ABC"' '"oid": 7' '"size": -1' '"size": "7"' '"size": 1e30' '"size": 18446744073709551615'; do
    behave acme/clip "{\"entries\": {\"config.json\": {$entry}}}"
    get hf:acme/clip
    expect_status 1
    expect_one_sentence
    expect_output 'does not answer as Hugging Face does \('
  done
  expect_requests 0 '/resolve/'
  [ -z "$(find "$SCRATCH" -name '*escaped*')" ] || flunk "$(find "$SCRATCH" -name '*escaped*')"
}

Get.SaysThatTlsIsMissing() {
  HF_ENDPOINT=https://127.0.0.1:9 GIO_MODULE_DIR=$SCRATCH get hf:acme/clip
  expect_status 1
  expect_one_sentence
  expect_output 'needs TLS, which GLib does not have on this machine: install the package glib-networking'
}

# --- addresses

# Serves the files of a repository as plain files.
serve_files() {
  make_repository acme/clip
  start_hub
  cp -r "$SCRATCH/repositories/acme/clip/." "$SCRATCH/files"
  image=$hub/files/onnx/vision_model.onnx text=$hub/files/onnx/text_model.onnx
  sums=(--sha256 "$(sha256_of "$SCRATCH/files/onnx/vision_model.onnx")" --sha256 "$(sha256_of "$SCRATCH/files/onnx/text_model.onnx")")
}

GetAddress.TakesTheFilesOfAModel() {
  local image text sums
  serve_files
  get --name mine "$image" "$text" "${sums[@]}" --licence MIT
  expect_status 0
  [ ! -L "$models/mine/vision_model.onnx" ] || flunk "a link was installed"
  expect_model mine
  try bcp model list
  expect_output '^mine .* MIT +/'
  # The folders that the addresses differ by are kept.
  get --name config "$image" "$text" "$hub/files/config.json" "${sums[@]}" --sha256 "$(sha256_of "$SCRATCH/files/config.json")"
  expect_status 0
  [ -f "$models/config/onnx/vision_model.onnx" ] || flunk "$(find "$models")"
  expect_model config
}

GetAddress.RefusesWhatCannotBeTrustedOrIsNotAModel() {
  local image text sums
  serve_files
  get --name mine "$image" "$text"
  expect_status 1
  expect_output 'is not encrypted, .*--sha256'
  get "$image" "${sums[@]:0:2}"
  expect_status 1
  expect_output 'give one with --name'
  get --name mine "$image" "$text" "${sums[@]:0:2}"
  expect_status 1
  expect_output 'there are 2 addresses but 1 values of --sha256'
  get --name mine "$image" "$text" "${sums[@]:2:2}" "${sums[@]:2:2}"
  expect_status 1
  expect_output 'vision_model\.onnx was removed: its sha256 is'
  expect_no_model mine
  get --name mine "$hub/files/onnx/config.json" "${sums[@]:0:2}"
  expect_status 1
  expect_output 'none of the addresses is an ONNX file'
  get --name mine "$hub/files/none.onnx" "${sums[@]:0:2}"
  expect_status 1
  expect_output 'none\.onnx does not exist \(HTTP status 404\)'
}

GetAddress.DeletesNothingThatIsNotAModel() {
  local image text sums again
  serve_files
  mkdir -p "$models/mine"
  echo x >"$models/mine/me.jpg"
  for again in "" --again; do
    get --name mine "$image" "$text" "${sums[@]}" ${again:+"$again"}
    expect_status 1
    expect_output 'mine already exists and is not a model'
  done
  [ -f "$models/mine/me.jpg" ] || flunk "$(find "$models")"
}

GetAddress.OnlySaysWhatItWouldDoInADryRun() {
  local image text sums
  serve_files
  get --name mine "$image" "$text" "${sums[@]}" --dry-run
  expect_status 0
  expect_output '^1\.0 MB	vision_model\.onnx$'
  expect_output '	text_model\.onnx$'
  expect_no_output 'Installed'
  expect_no_model .download
  get --name mine "$hub/files/none.onnx" "${sums[@]:0:2}" --dry-run
  expect_status 1
  expect_output 'none\.onnx does not exist'
}

GetAddress.ResumesAndTriesAgain() {
  local image text sums
  serve_files
  faults '[{"path": "vision_model", "fault": "cut", "times": 1}, {"path": "vision_model", "fault": "silent"}]'
  get --name mine "$image" "$text" "${sums[@]}"
  expect_status 1
  faults '[]'
  get --name mine "$image" "$text" "${sums[@]}"
  expect_status 0
  expect_requests 1 'vision_model.* bytes=402644- .* 603966$'
  expect_model mine
}
