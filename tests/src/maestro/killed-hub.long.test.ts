// Runs in a process of its own: it starts a fleet, and kills its hub again and again.
import { test } from 'node:test'
import { killHubUnderCreates } from './killed-hub.js'

test('up --maestro: no acknowledged create is lost when the hub is killed again and again', (t) =>
  killHubUnderCreates(t, { kills: 10, creates: 200 }))
