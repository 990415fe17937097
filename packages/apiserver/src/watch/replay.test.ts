import assert from 'node:assert/strict'
import test from 'node:test'
import { openStore } from '../store/open.js'
import { encodeObject, temporaryDirectory } from '../store/testing.fixture.js'
import { Replay } from './replay.js'
import { LabelFilter, RecordingSink, watchRequest } from './testing.fixture.js'

const LARGE = 'x'.repeat(100_000)
const OBJECTS = 10

for (const from of ['history', 'the initial list']) {
  test(`Replay: reads few large objects of ${from} at a time, also if its selector drops them`, async (t) => {
    const store = await openStore(temporaryDirectory(t), {})
    t.after(() => store.close())
    for (let index = 0; index < OBJECTS; index++) {
      await store.put('things', 'ns', `one-${index}`, undefined, encodeObject(`one-${index}`, LARGE, {}))
    }
    const filter = new LabelFilter('absent')
    const initial = from === 'history' ? [] : store.page({ bucket: 'things', namespace: undefined }).entries
    const since = from === 'history' ? 0 : store.revision
    const replay = new Replay(store, watchRequest(new RecordingSink(), { filter }), since, initial, false)
    for (let before = 0, chunk = replay.next(); chunk !== undefined; chunk = replay.next()) {
      assert.equal(chunk.length, 0)
      assert.equal(filter.calls, before + 1)
      before = filter.calls
    }
    assert.equal(filter.calls, OBJECTS)
    assert.equal(replay.position, store.revision)
  })
}
