//go:build tools

// Names the generators of the stubs among the modules, so that go.mod and go.sum hold them; this is never compiled.
package main

import (
	_ "google.golang.org/grpc/cmd/protoc-gen-go-grpc"
	_ "google.golang.org/protobuf/cmd/protoc-gen-go"
)
