import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect, openStore } from '@orrery/apiserver'
import { orrery } from '../support/cli-here.js'
import { rounds } from '../support/length.js'
import { temporaryDirectory } from '../support/server.js'

const CLI = new URL('../../../packages/cli/bin/orrery.js', import.meta.url).pathname
/** More moments take longer: `ORRERY_KILLS=50`. */
const KILLS = rounds('ORRERY_KILLS', { few: 3, many: 12 })
const OLD = 100
const NEW = 3000

async function makeStore(directory: string, bucket: string, count: number): Promise<void> {
  const store = await openStore(directory)
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      store.put(bucket, 'ns', `n${index}`, undefined, (revision) =>
        Buffer.from(
          JSON.stringify({ metadata: { name: `n${index}`, resourceVersion: String(revision) }, data: 'x'.repeat(500) }),
        ),
      ),
    ),
  )
  await store.close()
}

async function backupOf(t: TestContext): Promise<string> {
  const directory = await temporaryDirectory(t)
  await makeStore(join(directory, 'source'), 'new', NEW)
  const file = join(directory, 'new.bak')
  assert.equal((await orrery('apiserver', 'backup', '--data', join(directory, 'source'), file)).code, 0)
  return file
}

/** Restores until it ends, or is killed after a while. Returns the duration. */
async function restore(directory: string, file: string, flags: readonly string[], killAfter?: number): Promise<number> {
  const begin = performance.now()
  const child = spawn(process.execPath, [CLI, 'apiserver', 'restore', '--data', directory, ...flags, file], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  if (killAfter !== undefined) {
    await Promise.race([delay(killAfter), ended])
    child.kill('SIGKILL')
  }
  await ended
  return performance.now() - begin
}

test('orrery apiserver restore --force: killed at any moment, it leaves the complete old or new data', async (t) => {
  const file = await backupOf(t)
  const root = await temporaryDirectory(t)
  await makeStore(join(root, 'original'), 'old', OLD)
  const copy = (name: string) => {
    const directory = join(root, name)
    cpSync(join(root, 'original'), directory, { recursive: true })
    return directory
  }
  const whole = await restore(copy('whole'), file, ['--force'])
  const outcomes = new Map<string, number>()
  for (let kill = 0; kill < KILLS; kill++) {
    const directory = copy(`kill-${kill}`)
    await restore(directory, file, ['--force'], whole * (0.3 + (0.7 * kill) / KILLS))
    const { buckets } = await inspect(directory)
    const found = JSON.stringify([...buckets])
    assert.ok(found === `[["old",${OLD}]]` || found === `[["new",${NEW}]]`, `kill ${kill} left ${found}`)
    outcomes.set(found, (outcomes.get(found) ?? 0) + 1)
    assert.deepEqual(
      readdirSync(directory).filter((name) => name !== 'store'),
      [],
      'nothing is left lying about',
    )
    await (await openStore(directory)).close()
    rmSync(directory, { recursive: true })
  }
  t.diagnostic([...outcomes].join(' '))
})

test('orrery apiserver restore: a new directory whose restore was killed does not start empty, and can be restored again', async (t) => {
  const file = await backupOf(t)
  const root = await temporaryDirectory(t)
  const whole = await restore(join(root, 'whole'), file, [])
  for (let kill = 0; kill < KILLS; kill++) {
    const directory = join(root, `kill-${kill}`)
    await restore(directory, file, [], whole * (0.3 + (0.7 * kill) / KILLS))
    const hasBegun = existsSync(join(directory, 'restore.unfinished')) || existsSync(join(directory, 'store.partial'))
    if (existsSync(join(directory, 'store'))) {
      const { buckets } = await inspect(directory)
      assert.deepEqual([...buckets], [['new', NEW]])
    } else if (hasBegun) {
      await assert.rejects(
        openStore(directory),
        /was interrupted.*orrery apiserver restore --data .* FILE.*--new-store/,
      )
      await restore(directory, file, [])
      assert.deepEqual([...(await inspect(directory)).buckets], [['new', NEW]])
    }
    rmSync(directory, { recursive: true, force: true })
  }
})
