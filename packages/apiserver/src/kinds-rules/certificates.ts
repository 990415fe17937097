import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  indexPath,
  isDNS1123Label,
  isDNS1123Subdomain,
} from '@orrery/kinds/values'
import { parseCertificateBundle, parseCsr } from '@orrery/kube/pki'
import type { ObjectChange } from './change.js'
import { type Check, type StructCheck, struct } from './check.js'
import type { GroupRules } from './kind.js'
import { childOf, optionalNumber, repeats, sameValue, structsOf, textOf, textsOf } from './read.js'

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]

const DECISIONS = ['Approved', 'Denied', 'Failed']
const MAX_DOMAIN = 253
const MAX_SIGNER_NAME = MAX_DOMAIN + 1 + 253 + 1 + 63
const MIN_SECONDS = 600

/** `example.com/signer`: a domain with at least two labels, and a name. */
const signerName: Check = (value, at, errors) => {
  const name = typeof value === 'string' ? value : ''
  if (name === '') return void errors.push(fieldRequired(at))
  const [domain = '', path = '', ...more] = name.split('/')
  if (!name.includes('/') || more.length > 0) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    return void errors.push(fieldInvalid(at, name, detail))
  }
  if (domain.length > MAX_DOMAIN) errors.push(fieldTooLong(at, MAX_DOMAIN))
  const labels = domain.split('.')
  reportFirst(labels, isDNS1123Label, domain, at, errors)
  if (labels.length < 2) {
    errors.push(fieldInvalid(at, domain, 'should be a domain with at least two segments separated by dots'))
  }
  reportFirst(path.split('.'), isDNS1123Subdomain, path, at, errors)
  if (name.length > MAX_SIGNER_NAME) errors.push(fieldTooLong(at, MAX_SIGNER_NAME))
}

function reportFirst(
  labels: readonly string[],
  format: (value: string) => readonly string[],
  shown: string,
  at: string,
  errors: FieldError[],
): void {
  const bad = labels.find((label) => format(label).length > 0)
  for (const message of bad === undefined ? [] : format(bad)) {
    errors.push(fieldInvalid(at, shown, `validating label ${JSON.stringify(bad)}: ${message}`))
  }
}

const request: Check = (value, at, errors) => {
  try {
    parseCsr(Buffer.from(typeof value === 'string' ? value : '', 'base64').toString('latin1'))
  } catch (error) {
    errors.push(fieldInvalid(at, value ?? '', (error as Error).message))
  }
}

const usages: StructCheck = (spec, at, errors) => {
  const list = textsOf(spec, 'usages')
  const path = `${at}.usages`
  if (list.length === 0) errors.push(fieldRequired(path))
  for (const [i, usage] of list.entries()) {
    if (!USAGES.includes(usage)) errors.push(fieldNotSupported(indexPath(path, i), usage, USAGES))
  }
  const repeated = repeats(list)
  for (const [i, usage] of list.entries()) {
    if (repeated.has(i)) errors.push(fieldDuplicate(indexPath(path, i), usage))
  }
}

const conditions: StructCheck = (status, at, errors) => {
  const path = `${at}.conditions`
  const seen = new Set<string>()
  for (const [i, condition] of structsOf(status, 'conditions').entries()) {
    const type = textOf(condition, 'type')
    const value = textOf(condition, 'status')
    const allowed = DECISIONS.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (type === '') errors.push(fieldRequired(`${indexPath(path, i)}.type`))
    if (value === '') errors.push(fieldRequired(`${indexPath(path, i)}.status`))
    else if (!allowed.includes(value)) errors.push(fieldNotSupported(`${indexPath(path, i)}.status`, value, allowed))
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined
    if (opposite !== undefined && seen.has(opposite)) {
      errors.push(fieldInvalid(path, type, 'Approved and Denied conditions are mutually exclusive'))
    }
    if (seen.has(type)) errors.push(fieldDuplicate(`${indexPath(path, i)}.type`, type))
    seen.add(type)
  }
}

const requestFields = struct({
  'spec.request': request,
  spec: [
    usages,
    (spec, at, errors) => {
      if (textOf(spec, 'signerName') === 'kubernetes.io/legacy-unknown') {
        const detail = 'the legacy signerName is not allowed via this API version'
        errors.push(fieldInvalid(`${at}.signerName`, textOf(spec, 'signerName'), detail))
      } else signerName(textOf(spec, 'signerName'), `${at}.signerName`, errors)
      const seconds = optionalNumber(spec, 'expirationSeconds')
      if (seconds !== undefined && seconds < MIN_SECONDS) {
        const detail = 'may not specify a duration less than 600 seconds (10 minutes)'
        errors.push(fieldInvalid(`${at}.expirationSeconds`, seconds, detail))
      }
    },
  ],
  status: conditions,
})

function ofType(csr: JsonObject, type: string): JsonObject[] {
  return structsOf(childOf(csr, 'status'), 'conditions').filter((condition) => condition.type === type)
}

/** Approval and signing need different permissions, so each subresource can change only its own part. */
function statusKept(may: { readonly decide: boolean; readonly sign: boolean }): ObjectChange {
  return (csr, old, errors) => {
    const at = 'status.conditions'
    conditions(childOf(csr, 'status') ?? {}, 'status', errors)
    for (const type of DECISIONS) {
      if (ofType(csr, type).length < ofType(old, type).length) {
        errors.push(fieldForbidden(at, `updates may not remove a condition of type "${type}"`))
      }
    }
    for (const type of may.decide ? [] : ['Approved', 'Denied']) {
      const now = ofType(csr, type)
      const was = ofType(old, type)
      if (now.length > was.length) errors.push(fieldForbidden(at, `updates may not add a condition of type "${type}"`))
      else if (now.length === was.length && !sameValue(now, was)) {
        errors.push(fieldForbidden(at, `updates may not modify a condition of type "${type}"`))
      }
    }
    const certificate = textOf(childOf(csr, 'status'), 'certificate')
    const before = textOf(childOf(old, 'status'), 'certificate')
    if (certificate === before) return
    const path = 'status.certificate'
    if (!may.sign) errors.push(fieldForbidden(path, 'updates may not set certificate content'))
    else if (before !== '') errors.push(fieldForbidden(path, 'updates may not modify existing certificate content'))
    else checkCertificate(certificate, path, errors)
  }
}

function checkCertificate(base64: string, at: string, errors: FieldError[]): void {
  const report = (detail: string) => errors.push(fieldInvalid(at, '<certificate data>', detail))
  const pem = Buffer.from(base64, 'base64').toString('latin1')
  const labels = [...pem.matchAll(/^-----BEGIN ([^\r\n]{1,64}?)-----/gm)].map((match) => match[1])
  const foreign = labels.find((label) => label !== 'CERTIFICATE')
  if (foreign !== undefined) return void report(`only CERTIFICATE PEM blocks are allowed, found "${foreign}"`)
  if (labels.length === 0) return void report('must contain at least one CERTIFICATE PEM block')
  try {
    parseCertificateBundle(pem)
  } catch (error) {
    report((error as Error).message)
  }
}

export const certificatesGroup: GroupRules = {
  CertificateSigningRequest: {
    namespaced: false,
    nameRule: 'any',
    valid: requestFields,
    onUpdate: {
      '': statusKept({ decide: false, sign: false }),
      status: statusKept({ decide: false, sign: true }),
      approval: statusKept({ decide: true, sign: false }),
    },
  },
}
