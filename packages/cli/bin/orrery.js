#!/usr/bin/env node
import '../dist/orrery.mjs'
