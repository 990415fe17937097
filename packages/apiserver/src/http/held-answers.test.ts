import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldAnswers } from './held-answers.js'

/** Responses of a user, and which of them were cut. */
class Reader {
  readonly lost: string[] = []
  readonly #answers: HeldAnswers
  readonly #username: string | undefined

  constructor(answers: HeldAnswers, username: string | undefined) {
    this.#answers = answers
    this.#username = username
  }

  hold(name: string, bytes: number) {
    return this.#answers.hold({ username: this.#username, cut: () => this.lost.push(name) }, bytes)
  }
}

test('HeldAnswers: counts held bytes until they are released', () => {
  const answers = new HeldAnswers(100)
  const reader = new Reader(answers, 'a')
  const first = reader.hold('first', 60)
  const second = reader.hold('second', 30)
  assert.equal(answers.bytes, 90)
  first.release()
  first.release()
  second.release()
  assert.equal(answers.bytes, 0)
  assert.deepEqual(reader.lost, [])
})

test('HeldAnswers: counts growing responses and cuts them beyond twice the limit', () => {
  const answers = new HeldAnswers(100)
  const sender = new Reader(answers, 'a')
  const first = sender.hold('first', 0)
  const second = sender.hold('second', 0)
  first.grew(150)
  second.grew(40)
  assert.equal(answers.bytes, 190)
  second.grew(20)
  assert.deepEqual(sender.lost, ['first'])
  assert.equal(answers.bytes, 60)
  first.grew(10)
  second.release()
  assert.equal(answers.bytes, 0)
})

test('HeldAnswers: counts a buffer that several responses keep once', () => {
  const answers = new HeldAnswers(100)
  const event = Buffer.alloc(70)
  const [first, second, third] = ['a', 'b', 'c'].map((user) => new Reader(answers, user).hold('watch', 5))
  for (const watch of [first, second, second, third]) watch?.keeps(event)
  assert.equal(answers.bytes, 85)
  second?.release()
  assert.equal(answers.bytes, 80)
  first?.release()
  assert.equal(answers.bytes, 75)
  third?.release()
  assert.equal(answers.bytes, 0)
})

test('HeldAnswers: cuts the user who pays for a buffer, then the next one who keeps it', () => {
  const answers = new HeldAnswers(100)
  const readers = ['a', 'b'].map((user) => new Reader(answers, user))
  const event = Buffer.alloc(190)
  for (const reader of readers) reader.hold('watch', 6).keeps(event)
  assert.deepEqual(
    readers.map(({ lost }) => lost),
    [['watch'], []],
  )
  assert.equal(answers.bytes, 196)
  new Reader(answers, 'c').hold('other', 5)
  assert.deepEqual(readers[1]?.lost, ['watch'])
  assert.equal(answers.bytes, 5)
})

test('HeldAnswers: tolerates exceeding the limit for a moment', () => {
  const answers = new HeldAnswers(100)
  const reader = new Reader(answers, 'a')
  reader.hold('first', 100)
  reader.hold('second', 100)
  assert.deepEqual(reader.lost, [])
})

test('HeldAnswers: never holds more than twice the limit and cuts the user who holds the most', () => {
  const answers = new HeldAnswers(100)
  const modest = new Reader(answers, 'modest')
  const greedy = new Reader(answers, 'greedy')
  modest.hold('old', 40)
  for (const name of ['1', '2', '3', '4']) greedy.hold(name, 50)
  assert.deepEqual(greedy.lost, ['1'])
  assert.deepEqual(modest.lost, [])
  assert.ok(answers.bytes <= 200)
})

test('HeldAnswers: cuts the response without progress for the longest time', () => {
  const answers = new HeldAnswers(100)
  const reader = new Reader(answers, undefined)
  const first = reader.hold('first', 100)
  reader.hold('second', 50)
  first.progressed()
  reader.hold('third', 60)
  assert.equal(reader.lost[0], 'second')
})

test('HeldAnswers: cuts a response that is not read', async () => {
  const answers = new HeldAnswers(100, 1)
  await new Promise<void>((resolve) => {
    answers.hold({ username: 'a', cut: resolve }, 10)
    // The timer of the sweep is unreferenced.
    const alive = setInterval(() => answers.bytes === 0 && clearInterval(alive), 10)
  })
  assert.equal(answers.bytes, 0)
})
