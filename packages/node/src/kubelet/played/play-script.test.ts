import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Container, Pod } from '@orrery/kinds'
import { podOf } from '../pod/testing.fixture.js'
import { PLAY_DURATION, PLAY_EXIT, PLAY_READY, PLAY_START, playScriptOf } from './play-script.js'

const main = { name: 'main' }
const init = { name: 'init' }

const annotated = (pod: Pod, annotations: Record<string, string>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations },
})

test('playScriptOf: keeps containers of pods with restartPolicy Always running and ends others', () => {
  assert.equal(playScriptOf(podOf({ containers: [main] }), main).end, undefined)
  const job = podOf({ restartPolicy: 'Never', containers: [main] })
  assert.deepEqual(playScriptOf(job, main).end, { after: 1_000, exitCode: 0 })
})

test('playScriptOf: applies an annotation to the main containers or to the container that it names', () => {
  const annotations = {
    [PLAY_EXIT]: '7',
    [PLAY_DURATION]: '2s',
    [PLAY_START]: '1m',
    [`${PLAY_EXIT}.other`]: '9',
    [`${PLAY_READY}.other`]: 'never',
  }
  const pod = annotated(podOf({ initContainers: [init], containers: [main, { name: 'other' }] }), annotations)
  assert.deepEqual(playScriptOf(pod, main), {
    start: 60_000,
    ready: 0,
    end: { after: 2_000, exitCode: 7 },
    isPullable: true,
  })
  assert.equal(playScriptOf(pod, { name: 'other' }).end?.exitCode, 9)
  assert.equal(playScriptOf(pod, { name: 'other' }).ready, undefined)
  assert.equal(playScriptOf(pod, init).end?.exitCode, 0)
})

test('playScriptOf: ends a container as its command does if that is evident, unless annotations override it', () => {
  const pod = podOf({ restartPolicy: 'Never', containers: [main] })
  const endOf = (more: Partial<Container>, of = pod) => playScriptOf(of, { ...main, ...more }).end
  assert.deepEqual(endOf({ command: ['sh', '-c'], args: ['sleep 5; exit 2'] }), { after: 5_000, exitCode: 2 })
  assert.equal(endOf({ image: 'registry.k8s.io/pause:3.10' }), undefined)
  assert.equal(endOf({ image: 'example.com/tools', args: ['sleep', 'infinity'] }), undefined)
  assert.deepEqual(endOf({ image: 'example.com/pauser' }), { after: 1_000, exitCode: 0 })
  const exits = annotated(pod, { [PLAY_EXIT]: '7' })
  assert.deepEqual(endOf({ command: ['false'] }, exits), { after: 1_000, exitCode: 7 })
})

test('playScriptOf: makes a container ready at its first probe, and never if the probe must fail', () => {
  const ready = (command: string[], initialDelaySeconds = 0) => {
    const readinessProbe = { exec: { command }, initialDelaySeconds }
    return playScriptOf(podOf({ containers: [main] }), { ...main, readinessProbe }).ready
  }
  assert.equal(ready(['/bin/false']), undefined)
  assert.equal(ready(['cat', '/tmp/healthy']), 0)
  assert.equal(ready(['cat', '/tmp/healthy'], 15), 15_000)
})

test('playScriptOf: ignores invalid annotations', () => {
  const annotations = { [PLAY_EXIT]: '256', [PLAY_DURATION]: 'soon', [PLAY_START]: '-5s' }
  const pod = annotated(podOf({ containers: [main] }), annotations)
  assert.deepEqual(playScriptOf(pod, main), { start: 0, ready: 0, end: undefined, isPullable: true })
})
