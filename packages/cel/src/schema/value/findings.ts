import type { JsonValue } from '@orrery/kinds'
import {
  childPath,
  type FieldError,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
  fieldTypeInvalid,
} from '@orrery/kinds/values'

/** One error of a value, before its position in the object is known. */
export interface Finding {
  readonly problem: 'type' | 'required' | 'enum' | 'tooLong' | 'tooMany' | 'invalid' | 'general'
  /** The path of the value, with a leading dot below the root. Empty for general findings. */
  readonly name: string
  readonly message: string
  readonly value?: JsonValue
  readonly limit?: number
  readonly choices?: readonly JsonValue[]
}

const MAX_FINDINGS = 1000

/** The findings for a value; `matches` counts the checks passed and decides which branch is reported. */
export class Report {
  readonly findings: Finding[] = []
  matches = 0
  readonly #messages = new Set<string>()

  get isValid(): boolean {
    return this.findings.length === 0
  }

  /** A limit, since a malicious object could have hundreds of thousands of findings. */
  get isFull(): boolean {
    return this.findings.length >= MAX_FINDINGS
  }

  /** Drops duplicate messages. */
  add(finding: Finding): void {
    if (this.#messages.has(finding.message)) return
    this.#messages.add(finding.message)
    this.findings.push(finding)
  }

  merge(other: Report): void {
    for (const finding of other.findings) this.add(finding)
    this.matches += other.matches
  }
}

/** Findings as field errors of an object, with the value at `at`. */
export function toFieldErrors(findings: readonly Finding[], at: string): FieldError[] {
  return findings.map((finding) => toFieldError(finding, at))
}

function toFieldError(finding: Finding, at: string): FieldError {
  const name = finding.name.startsWith('.') ? finding.name.slice(1) : finding.name
  const path = name === '' ? at : childPath(at, name)
  switch (finding.problem) {
    case 'required':
      return fieldRequired(path)
    case 'enum':
      return fieldNotSupported(path, finding.value, choiceTexts(finding.choices ?? []))
    case 'tooLong':
      return fieldTooLong(path, finding.limit as number)
    case 'tooMany':
      return fieldTooMany(path, finding.value as number, finding.limit as number)
    case 'type':
      return fieldTypeInvalid(path, finding.value ?? '', finding.message)
    default:
      return fieldInvalid(path, finding.value ?? '', finding.message)
  }
}

/** By the choices of a schema, so that many findings share one list. */
const texts = new WeakMap<readonly JsonValue[], readonly string[]>()

function choiceTexts(choices: readonly JsonValue[]): readonly string[] {
  let list = texts.get(choices)
  if (list === undefined) {
    list = choices.map(choiceText)
    texts.set(choices, list)
  }
  return list
}

function choiceText(choice: JsonValue): string {
  return typeof choice === 'string' ? choice : JSON.stringify(choice)
}
