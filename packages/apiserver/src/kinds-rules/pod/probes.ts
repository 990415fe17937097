import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  isHTTPHeaderName,
  isPortName,
} from '@orrery/kinds/values'
import {
  type Check,
  nonNegative,
  portNumber,
  reportFormat,
  required,
  type StructCheck,
  strictlyOneOf,
  struct,
} from '../check.js'
import { childOf, has, numberOf, optionalNumber, structsOf, textOf } from '../read.js'

/** A port by number or by name. */
export const portNumberOrName: Check = (value, at, errors) => {
  if (typeof value === 'string') reportFormat(isPortName, value, at, errors)
  else portNumber(value, at, errors)
}

const httpGet: StructCheck = struct({
  path: required(),
  port: portNumberOrName,
  scheme: strictlyOneOf('HTTP', 'HTTPS'),
  '.': (action: JsonObject, at: string, errors: FieldError[]) => {
    for (const header of structsOf(action, 'httpHeaders')) {
      reportFormat(isHTTPHeaderName, textOf(header, 'name'), `${at}.httpHeaders`, errors)
    }
  },
})

/** The grace period of the pod, which limits the sleep of its hooks. */
type GracePeriod = number | undefined

type Handler = (action: JsonObject, at: string, errors: FieldError[], grace: GracePeriod) => void

const sleep: Handler = (action, at, errors, grace) => {
  const seconds = numberOf(action, 'seconds')
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`
  errors.push(fieldInvalid(at, seconds, detail))
}

const HANDLERS: readonly (readonly [string, Handler])[] = [
  ['exec', struct({ command: required() })],
  ['httpGet', httpGet],
  ['tcpSocket', struct({ port: portNumberOrName })],
  ['grpc', struct({ port: portNumber })],
  ['sleep', sleep],
]

function checkHandler(handler: JsonObject, at: string, errors: FieldError[], grace: GracePeriod): void {
  let types = 0
  for (const [type, check] of HANDLERS) {
    const action = childOf(handler, type)
    if (action === undefined) continue
    types++
    if (types > 1) errors.push(fieldForbidden(`${at}.${type}`, 'may not specify more than 1 handler type'))
    else check(action, `${at}.${type}`, errors, grace)
  }
  if (types === 0) errors.push(fieldRequired(at, 'must specify a handler type'))
}

const timing = struct({
  initialDelaySeconds: nonNegative,
  timeoutSeconds: nonNegative,
  periodSeconds: nonNegative,
  successThreshold: nonNegative,
  failureThreshold: nonNegative,
})

/** The three probes and the lifecycle hooks of a container. */
export function checkProbes(
  container: JsonObject,
  at: string,
  errors: FieldError[],
  grace: GracePeriod,
  os: string,
): void {
  const lifecycle = childOf(container, 'lifecycle')
  if (lifecycle !== undefined) checkLifecycle(lifecycle, `${at}.lifecycle`, errors, grace, os)
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = childOf(container, name)
    if (probe === undefined) continue
    const path = `${at}.${name}`
    checkHandler(probe, path, errors, grace)
    timing(probe, path, errors)
    const seconds = optionalNumber(probe, 'terminationGracePeriodSeconds')
    if (seconds !== undefined && seconds <= 0) {
      errors.push(fieldInvalid(`${path}.terminationGracePeriodSeconds`, seconds, 'must be greater than 0'))
    }
    if (name === 'readinessProbe') {
      if (seconds !== undefined) {
        const detail = 'must not be set for readinessProbes'
        errors.push(fieldInvalid(`${path}.terminationGracePeriodSeconds`, seconds, detail))
      }
    } else if (numberOf(probe, 'successThreshold') !== 1) {
      errors.push(fieldInvalid(`${path}.successThreshold`, numberOf(probe, 'successThreshold'), 'must be 1'))
    }
  }
}

function checkLifecycle(lifecycle: JsonObject, at: string, errors: FieldError[], grace: GracePeriod, os: string): void {
  for (const hook of ['postStart', 'preStop']) {
    const handler = childOf(lifecycle, hook)
    if (handler !== undefined) checkHandler(handler, `${at}.${hook}`, errors, grace)
  }
  if (!has(lifecycle, 'stopSignal')) return
  const path = `${at}.stopSignal`
  if (os === '') errors.push(fieldForbidden(path, 'may not be set for containers with empty `spec.os.name`'))
  else if (os === 'windows' && !['SIGKILL', 'SIGTERM'].includes(textOf(lifecycle, 'stopSignal'))) {
    errors.push(fieldNotSupported(path, lifecycle.stopSignal, ['SIGKILL', 'SIGTERM']))
  }
}
