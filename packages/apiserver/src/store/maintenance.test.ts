import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { BackupDamaged } from './backup.js'
import { compactStore, inspect, RESTORE_JUMP, restore } from './maintenance.js'
import { openStore } from './open.js'
import { dataOf, erase, temporaryDirectory, write } from './testing.fixture.js'
import { RevisionCompacted, type Store } from './types.js'

async function filled(directory: string): Promise<Store> {
  const store = await openStore(directory)
  for (let index = 0; index < 20; index++) await write(store, `ns${index % 3}`, `n${index}`, 'x'.repeat(index * 500))
  await write(store, 'ns0', 'n0', 'changed')
  await erase(store, 'ns1', 'n1')
  return store
}

test('restore: restores a backup taken during writes, at a revision that no client has seen', async (t) => {
  const from = temporaryDirectory(t)
  const to = join(temporaryDirectory(t), 'restored')
  const file = join(from, 'backup')
  const store = await filled(from)
  const later = write(store, 'ns0', 'later', 1)
  const saving = store.backup(file)
  await Promise.all([later, write(store, 'ns0', 'n0', 'after the backup'), saving])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  await restore(file, to)
  const restored = await openStore(to)
  assert.equal(restored.revision, 22 + RESTORE_JUMP)
  assert.equal(restored.compactedRevision, restored.revision)
  assert.equal(restored.count('things'), 19)
  assert.equal(dataOf(restored.get('things', 'ns0', 'n0')), 'changed')
  assert.equal(restored.get('things', 'ns0', 'n0')?.revision, 21)
  assert.throws(() => restored.changesSince('things', store.revision), RevisionCompacted)
  assert.equal((await write(restored, 'ns0', 'n0', 1)).revision, 23 + RESTORE_JUMP)
  await store.close()
  await restored.close()
})

test('restore: replaces an existing store only with force', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'backup')
  let store = await filled(directory)
  await store.backup(file)
  await write(store, 'ns0', 'later', 1)
  await assert.rejects(restore(file, directory, { force: true }), /in use/)
  await store.close()
  await assert.rejects(restore(file, directory), /already contains data/)
  await restore(file, directory, { force: true })
  store = await openStore(directory)
  assert.equal(store.get('things', 'ns0', 'later'), undefined)
  assert.equal(store.count('things'), 19)
  await store.close()
  assert.deepEqual(readdirSync(directory).sort(), ['backup', 'store'])
})

test('restore: refuses a truncated or modified backup', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'backup')
  const store = await filled(directory)
  await store.backup(file)
  await store.close()
  const whole = readFileSync(file)
  const target = join(directory, 'target')
  const damaged = join(directory, 'damaged')
  for (let cut = 0; cut < whole.length; cut += 997) {
    writeFileSync(damaged, whole)
    truncateSync(damaged, cut)
    await assert.rejects(restore(damaged, target), BackupDamaged)
    const changed = Buffer.from(whole)
    changed[cut] = (changed[cut] as number) ^ 0x40
    writeFileSync(damaged, changed)
    await assert.rejects(restore(damaged, target), BackupDamaged)
  }
  assert.ok(!readdirSync(directory).includes('target'))
})

test('backup: leaves no files behind if it fails', async (t) => {
  const directory = temporaryDirectory(t)
  const store = await filled(directory)
  await assert.rejects(store.backup(join(directory, 'missing', 'backup')), /ENOENT/)
  await assert.rejects(store.backup(join(directory, 'store')), /EISDIR|ENOTEMPTY|EEXIST/)
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.includes('partial')),
    [],
  )
  await store.close()
})

test('inspect, compactStore: work on a store that is not open', async (t) => {
  const directory = temporaryDirectory(t)
  const store = await filled(directory)
  for (let value = 0; value < 300; value++) await write(store, 'ns0', 'n0', `${value}`.repeat(1000))
  await store.close()
  const before = await inspect(directory)
  assert.deepEqual([before.objects, before.revision, before.compactedRevision], [19, 322, 0])
  assert.deepEqual([...before.buckets], [['things', 19]])
  await compactStore(directory)
  const after = await inspect(directory)
  assert.deepEqual([after.objects, after.revision, after.compactedRevision], [19, 322, 322])
  assert.equal(after.cluster, before.cluster)
  assert.ok(after.fileBytes < before.fileBytes / 2)
  const again = await openStore(directory)
  assert.equal(dataOf(again.get('things', 'ns0', 'n0')), '299'.repeat(1000))
  await again.close()
})

test('inspect: fails for a directory without a store', async (t) => {
  const directory = temporaryDirectory(t)
  await assert.rejects(inspect(directory), /contains no data/)
  await assert.rejects(compactStore(directory), /contains no data/)
})
