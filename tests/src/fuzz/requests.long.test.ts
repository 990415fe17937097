import { test } from 'node:test'
import { FuzzServer } from './fuzz-server.js'
import { Random } from './random.js'
import { oddRequest } from './requests.js'
import { LENGTH, SEED } from './settings.js'

test('requests: odd paths, parameters, headers and methods get a response', async (t) => {
  const fuzz = await FuzzServer.start(t)
  const random = new Random(SEED)
  for (let round = 0; round < 4000 * LENGTH; round++) await fuzz.send(oddRequest(random))
})
