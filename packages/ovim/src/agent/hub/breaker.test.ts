import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import fc from 'fast-check'
import { CircuitBreaker } from './breaker.js'

function failing(breaker: CircuitBreaker, times: number): void {
  for (let i = 0; i < times; i++) {
    assert.ok(breaker.admit())
    breaker.fail()
  }
}

test('circuit breaker: opens after five failures in a row and admits nothing for 30 s', () => {
  const clock = new FakeClock()
  const breaker = new CircuitBreaker({ clock })
  failing(breaker, 4)
  assert.equal(breaker.state, 'closed')
  failing(breaker, 1)
  assert.equal(breaker.state, 'open')
  assert.equal(breaker.waitMs, 30_000)
  assert.equal(breaker.admit(), false)
  clock.advance(30_000)
  assert.equal(breaker.state, 'half-open')
})

test('circuit breaker: a success in between starts the count again', () => {
  const breaker = new CircuitBreaker({ clock: new FakeClock() })
  failing(breaker, 4)
  breaker.admit()
  breaker.succeed()
  failing(breaker, 4)
  assert.equal(breaker.state, 'closed')
})

test('circuit breaker: half-open admits one trial; a failure opens it for twice as long, a success closes it', () => {
  const clock = new FakeClock()
  const breaker = new CircuitBreaker({ clock })
  failing(breaker, 5)
  clock.advance(30_000)
  assert.ok(breaker.admit())
  assert.equal(breaker.admit(), false)
  breaker.fail()
  assert.equal(breaker.waitMs, 60_000)
  clock.advance(60_000)
  assert.ok(breaker.admit())
  breaker.succeed()
  assert.equal(breaker.state, 'closed')
})

test('circuit breaker: allows a trial as soon as the hub is known to be back', () => {
  const breaker = new CircuitBreaker({ clock: new FakeClock() })
  failing(breaker, 5)
  breaker.tryNow()
  assert.equal(breaker.state, 'half-open')
  assert.ok(breaker.admit())
})

test('circuit breaker: a cancelled trial allows another one', () => {
  const clock = new FakeClock()
  const breaker = new CircuitBreaker({ clock })
  failing(breaker, 5)
  clock.advance(30_000)
  assert.ok(breaker.admit())
  breaker.release()
  assert.ok(breaker.admit())
})

test('circuit breaker: never stays open for more than a minute', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('fail', 'succeed', 'release', 'wait'), { maxLength: 80 }), (steps) => {
      const clock = new FakeClock()
      const breaker = new CircuitBreaker({ clock })
      for (const step of steps) {
        if (step === 'wait') clock.advance(40_000)
        else if (breaker.admit()) breaker[step as 'fail' | 'succeed' | 'release']()
        assert.ok(breaker.waitMs <= 60_000)
      }
      clock.advance(60_000)
      assert.ok(breaker.admit())
    }),
  )
})
