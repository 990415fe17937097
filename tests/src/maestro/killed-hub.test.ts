// Runs in a process of its own: it starts a fleet, and kills its hub.
import { test } from 'node:test'
import { killHubUnderCreates } from './killed-hub.js'

test('up --maestro: no acknowledged create is lost when the hub is killed', (t) =>
  killHubUnderCreates(t, { kills: 1, creates: 20 }))
