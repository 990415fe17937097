import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

test('tables: equal the output of derive-kinds for the pinned Kubernetes release', (t) => {
  const fresh = mkdtempSync(join(tmpdir(), 'kinds-'))
  t.after(() => rmSync(fresh, { recursive: true }))
  const script = join(repository, 'tools/derive-kinds/derive.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, fresh], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const kept = join(repository, 'packages/kinds/src/tables/groups')
  assert.deepEqual(readdirSync(kept).sort(), readdirSync(fresh).sort())
  for (const file of readdirSync(fresh)) {
    assert.equal(readFileSync(join(kept, file), 'utf8'), readFileSync(join(fresh, file), 'utf8'), file)
  }
})
