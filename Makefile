# For `sam build` only (template.yaml says BuildMethod: makefile); everything else is ./dev. SAM copies the repository,
# runs one target a function in the copy and deploys what that leaves in $(ARTIFACTS_DIR). It does not tell the target
# which processor the template asks for: with the template's parameter Architecture=arm64, run
#   ARCHITECTURE=arm64 sam build
ARCHITECTURE ?= x86_64

.PHONY: build-StateFunction build-AlarmFunction
build-StateFunction: function = state
build-AlarmFunction: function = alarm
build-StateFunction build-AlarmFunction:
	@test -n "$(ARTIFACTS_DIR)" || { echo "ARTIFACTS_DIR is not set: this Makefile is for sam build; use ./dev package" >&2; exit 1; }
	./dev package $(ARCHITECTURE)
	mkdir -p "$(ARTIFACTS_DIR)"
	cp build/package/$(ARCHITECTURE)/$(function)/* "$(ARTIFACTS_DIR)/"
