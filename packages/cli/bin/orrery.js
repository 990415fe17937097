#!/usr/bin/env node
import '../bundle/orrery.mjs'
