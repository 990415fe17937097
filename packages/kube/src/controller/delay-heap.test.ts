import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Delayed, DelayHeap } from './delay-heap.js'

test('DelayHeap: has the earliest member at the head after any operations', () => {
  const change = fc.record({ due: fc.nat(20), removes: fc.option(fc.nat(30), { nil: undefined, freq: 2 }) })
  const changes = fc.array(change, { maxLength: 200, size: 'max' })
  fc.assert(
    fc.property(changes, (all) => {
      const heap = new DelayHeap<Delayed>()
      let members: Delayed[] = []
      all.forEach(({ due, removes }, order) => {
        const leaving = removes === undefined ? undefined : members[removes % members.length]
        if (leaving === undefined) {
          const member = { due, order, position: undefined }
          heap.add(member)
          members.push(member)
        } else {
          heap.remove(leaving)
          heap.remove(leaving)
          members = members.filter((member) => member !== leaving)
        }
        const earliest = members.toSorted((a, b) => a.due - b.due || a.order - b.order)[0]
        assert.equal(heap.head, earliest)
        assert.equal(heap.size, members.length)
      })
    }),
  )
})
