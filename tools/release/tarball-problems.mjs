// Checks tarballs as those who install them would see them.
import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { unwantedFiles } from './tarball-files.mjs'

/** The packages are ES modules: neither CommonJS nor TypeScript's resolution for Node.js 10 can import them. */
const OTHER_RESOLUTIONS = ['node10', 'node16-cjs']

/** What is wrong with a tarball: files that do not belong there, types that cannot be found, and what publint reports. */
export async function tarballProblems({ path, files }) {
  const data = readFileSync(path)
  const unwanted = unwantedFiles(files).map((file) => `contains ${file}`)
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(data)))
  const types = (analysis.types === false ? [] : analysis.problems)
    .filter(({ resolutionKind }) => !OTHER_RESOLUTIONS.includes(resolutionKind))
    .map(
      ({ kind, entrypoint, resolutionKind }) =>
        `types: ${[kind, entrypoint, resolutionKind].filter(Boolean).join(' ')}`,
    )
  const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball } })
  return [
    ...unwanted,
    ...types,
    ...messages.map((message) => `package.json: ${formatMessage(message, pkg, { color: false })}`),
  ]
}
