# Runs samples one by one. A stream ends after STREAM_SECONDS, with the status 28, once it has shown something.
curl() {
  local status=0 seconds=30 over=0
  [ "$1" != --no-buffer ] || { seconds=$STREAM_SECONDS over=28; }
  command curl --silent --show-error --fail-with-body --max-time "$seconds" "$@" || status=$?
  [ $status = 0 ] || [ $status = $over ] || echo $'\n'"!! curl ended with $status"
}
for file in "$@"; do
  echo "@@ $file"
  source "$file"
  echo
done
