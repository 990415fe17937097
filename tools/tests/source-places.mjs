// The places of compiled code in its sources, for the few lines that are printed: with --enable-source-maps, each test
// process reads the source maps of all modules that it loads, which takes a twentieth of its CPU time.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'

const PLACE = /(?:file:\/\/)?(\/[^():]+\.js):(\d+):(\d+)/g

/** Replaces the places of compiled code in a line of a stack. */
export function sourcePlaces(line) {
  return line.replace(PLACE, (place, file, row, column) => sourcePlace(file, Number(row), Number(column)) ?? place)
}

function sourcePlace(file, row, column) {
  const { originalSource, originalLine, originalColumn } = sourceMapOf(file)?.findEntry(row - 1, column - 1) ?? {}
  if (originalSource === undefined) return undefined
  return `${resolve(dirname(file), originalSource)}:${originalLine + 1}:${originalColumn + 1}`
}

function sourceMapOf(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  } catch {
    return undefined
  }
}
