// Runs in a process of its own: it starts a fleet, and kills its hub again and again.
import { test } from 'node:test'
import { rounds } from '../support/length.js'
import { killHubUnderCreates } from './killed-hub.js'

const kills = rounds('ORRERY_KILLS', { few: 1, many: 6 })

test('up --maestro: no acknowledged create is lost when the hub is killed', (t) =>
  killHubUnderCreates(t, { kills, creates: kills > 1 ? 200 : 20 }))
