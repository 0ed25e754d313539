#!/usr/bin/env bash
# One turn of signoff; what it proposes becomes a patch. Ends as `signoff exec` does.
set -uo pipefail

# An input that was not given is no setting.
for name in SIGNOFF_URL SIGNOFF_MODEL SIGNOFF_API_KEY; do
    [ -n "${!name:-}" ] || unset "$name"
done
export XDG_STATE_HOME=$RUNNER_TEMP/signoff-state
patch=$RUNNER_TEMP/signoff.patch
cd "$WORKING_DIRECTORY" || exit 1

offline=()
[ -n "${SIGNOFF_URL:-}${SIGNOFF_MODEL:-}" ] || offline=(--offline)
printf '%s' "$PROMPT" | signoff exec "${offline[@]}" -
ended=$?

signoff diff >"$patch" || exit 1
staged=false
[ -s "$patch" ] && staged=true
printf 'staged=%s\npatch=%s\n' "$staged" "$patch" >>"$GITHUB_OUTPUT"
if [ "$staged" = true ]; then
    # shellcheck disable=SC2016
    printf '## signoff proposes\n\n```diff\n%s\n```\n' "$(head -c 60000 "$patch")" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$ended"
