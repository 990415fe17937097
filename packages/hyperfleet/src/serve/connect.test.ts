import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AdapterConfig } from '../config/adapter-config.js'
import { connectKubernetes, maestroOptions } from './connect.js'

const MAESTRO = {
  grpcServerAddress: 'maestro:8090',
  httpServerAddress: 'https://maestro:8000',
  sourceId: 'a1',
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  httpCaFile: undefined,
  tokenFile: undefined,
  timeoutMilliseconds: 10_000,
  retryAttempts: 3,
  insecure: false,
}

test('maestroOptions: uses TLS unless it is insecure', () => {
  assert.equal(maestroOptions(MAESTRO).grpcUrl, 'https://maestro:8090')
  assert.equal(maestroOptions({ ...MAESTRO, insecure: true }).grpcUrl, 'maestro:8090')
  assert.equal(maestroOptions({ ...MAESTRO, grpcServerAddress: 'grpcs://m:1' }).grpcUrl, 'grpcs://m:1')
})

test('maestroOptions: passes files, which are read again, and joins two authorities', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'authorities-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const [grpc, rest] = [join(directory, 'grpc.crt'), join(directory, 'rest.crt')]
  writeFileSync(grpc, 'GRPC')
  writeFileSync(rest, 'REST')
  const mutual = maestroOptions({ ...MAESTRO, caFile: grpc, certFile: '/c', keyFile: '/k', tokenFile: '/t' })
  assert.deepEqual(mutual.ca, { file: grpc })
  assert.deepEqual(mutual.certificates, { certificate: { file: '/c' }, key: { file: '/k' } })
  assert.equal(mutual.tokenFile, '/t')
  assert.deepEqual(maestroOptions({ ...MAESTRO, caFile: grpc, httpCaFile: rest }).ca, { text: 'GRPC\nREST' })
})

test('connectKubernetes: outside pods, asks for a kubeconfig, and names the field of one that it cannot read', async () => {
  const config = (kubeConfigPath?: string) =>
    ({ adapter: { name: 'a' }, kubernetes: { kubeConfigPath, qps: 1, burst: 1 } }) as AdapterConfig
  await assert.rejects(connectKubernetes(config(), {}), {
    message:
      'clients.kubernetes.kube_config_path: Required value: set it to a kubeconfig, or run the adapter in a pod with a service account',
    code: 'hyperfleet-adapter-17',
  })
  await assert.rejects(connectKubernetes(config('/missing'), {}), {
    message: /^clients\.kubernetes\.kube_config_path: .*\/missing/,
    code: 'hyperfleet-adapter-13',
  })
})
