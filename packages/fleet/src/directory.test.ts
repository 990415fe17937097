import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { fleetDirectory } from './directory.js'

test('fleetDirectory: uses the argument, then ORRERY_DATA, then the home directory', () => {
  const environment = { HOME: '/home/me', ORRERY_DATA: '/data' }
  assert.equal(fleetDirectory('/named', environment).root, '/named')
  assert.equal(fleetDirectory(undefined, environment).root, '/data')
  assert.equal(fleetDirectory(undefined, { HOME: '/home/me' }).root, '/home/me/.orrery/fleet')
  assert.equal(fleetDirectory(undefined, { HOME: '' }).root, join(userInfo().homedir, '.orrery', 'fleet'))
})

test('FleetDirectory.command: names the directory only where it is needed', () => {
  const environment = { HOME: '/home/me' }
  assert.equal(fleetDirectory(undefined, environment).command('up'), '`orrery up`')
  assert.equal(fleetDirectory('/home/me/.orrery/fleet', environment).command('up'), '`orrery up`')
  assert.equal(fleetDirectory('/elsewhere', environment).command('up'), '`orrery up --data /elsewhere`')
  assert.equal(fleetDirectory("/it's mine", environment).command('up'), "`orrery up --data '/it'\\''s mine'`")
})
