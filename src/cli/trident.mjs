#!/usr/bin/env node
// Plain JavaScript, because Node reads no TypeScript below node_modules, and an older one none at all.
import './check-node.mjs'
import { existsSync } from 'node:fs'

const source = new URL('trident.ts', import.meta.url)
const compiled = new URL('../../dist/src/cli/trident.js', import.meta.url)
await import(existsSync(source) ? source : compiled)
