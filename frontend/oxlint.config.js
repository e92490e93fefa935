import { readdirSync } from 'node:fs'

/** Beyond what is plainly wrong (`correctness`). */
const STRICT = [
  'no-array-constructor',
  'no-case-declarations',
  'no-empty',
  'no-empty-function',
  'no-fallthrough',
  'no-prototype-builtins',
  'no-redeclare',
  'no-regex-spaces',
  'no-unexpected-multiline',
  'no-useless-constructor',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
  'react/incompatible-library',
  'react/rules-of-hooks',
  'react/unsupported-syntax',
]
const STRICT_TYPES = [
  'typescript/adjacent-overload-signatures',
  'typescript/array-type',
  'typescript/class-literal-property-style',
  'typescript/consistent-generic-constructors',
  'typescript/consistent-indexed-object-style',
  'typescript/consistent-type-assertions',
  'typescript/consistent-type-definitions',
  'typescript/consistent-type-imports',
  'typescript/dot-notation',
  'typescript/no-confusing-non-null-assertion',
  'typescript/no-deprecated',
  'typescript/no-dynamic-delete',
  'typescript/no-empty-object-type',
  'typescript/no-explicit-any',
  'typescript/no-extraneous-class',
  'typescript/no-generated-empty-object-type',
  'typescript/no-inferrable-types',
  'typescript/no-invalid-void-type',
  'typescript/no-misused-promises',
  'typescript/no-mixed-enums',
  'typescript/no-namespace',
  'typescript/no-non-null-asserted-nullish-coalescing',
  'typescript/no-non-null-assertion',
  'typescript/no-require-imports',
  'typescript/no-unnecessary-boolean-literal-compare',
  'typescript/no-unnecessary-condition',
  'typescript/no-unnecessary-template-expression',
  'typescript/no-unnecessary-type-arguments',
  'typescript/no-unnecessary-type-assertion',
  'typescript/no-unnecessary-type-constraint',
  'typescript/no-unnecessary-type-conversion',
  'typescript/no-unnecessary-type-parameters',
  'typescript/no-unsafe-argument',
  'typescript/no-unsafe-assignment',
  'typescript/no-unsafe-call',
  'typescript/no-unsafe-enum-comparison',
  'typescript/no-unsafe-function-type',
  'typescript/no-unsafe-member-access',
  'typescript/no-unsafe-return',
  'typescript/non-nullable-type-assertion-style',
  'typescript/only-throw-error',
  'typescript/prefer-find',
  'typescript/prefer-for-of',
  'typescript/prefer-function-type',
  'typescript/prefer-includes',
  'typescript/prefer-literal-enum-member',
  'typescript/prefer-nullish-coalescing',
  'typescript/prefer-optional-chain',
  'typescript/prefer-promise-reject-errors',
  'typescript/prefer-reduce-type-parameter',
  'typescript/prefer-regexp-exec',
  'typescript/prefer-return-this-type',
  'typescript/prefer-string-starts-ends-with',
  'typescript/related-getter-setter-pairs',
  'typescript/require-await',
  'typescript/unified-signatures',
  'typescript/use-unknown-in-catch-callback-variable',
]

const errors = (rules) => Object.fromEntries(rules.map((rule) => [rule, 'error']))

/** Layers point one way: app → features → families → components, graph, lib, strings → generated. Features are
 * islands, and so are families. */
const foldersIn = (layer) =>
  readdirSync(new URL(`./src/${layer}`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)

const climbing = {
  regex: '^\\.\\.(/|$)',
  message: 'Import from another folder through @/, so that the layers stay visible.',
}

const boundary = (files, group, message) => ({
  files,
  rules: {
    'no-restricted-imports': ['error', { patterns: [climbing, { group, message }] }],
  },
})

/** A design may be a script, in the designer and in a training: both show it as the run page does. */
const SHOWN_BY = { designs: ['scripts'], training: ['scripts'] }
const ABOVE_FAMILIES = ['@/app/**', '@/features/**']
const BESIDE_GRAPH = ['@/components/**', 'react', 'react-dom', '@xyflow/react']

export default {
  plugins: ['typescript', 'react', 'jsx-a11y'],
  jsPlugins: ['./lint-sentences.js'],
  categories: { correctness: 'error' },
  options: { typeAware: true },
  ignorePatterns: ['dist', 'node_modules', 'src/generated', 'test-artifacts'],
  rules: {
    ...errors(STRICT),
    'no-restricted-imports': ['error', { patterns: [climbing] }],
    // Dialogs and the login page put the focus where the typing begins.
    'jsx-a11y/no-autofocus': ['error', { ignoreNonDOM: true }],
    // Roles are React Aria's to choose.
    'jsx-a11y/prefer-tag-over-role': 'off',
  },
  overrides: [
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        ...errors(STRICT_TYPES),
        'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
        'typescript/no-confusing-void-expression': [
          'error',
          { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
        ],
        'typescript/restrict-plus-operands': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
        'typescript/return-await': ['error', 'error-handling-correctness-only'],
        'typescript/switch-exhaustiveness-check': [
          'error',
          { considerDefaultExhaustiveForUnions: true },
        ],
      },
    },
    {
      files: ['src/**/*.tsx'],
      rules: { 'studio/sentences': 'error' },
    },
    {
      files: ['src/**/tests/**'],
      rules: {
        'studio/sentences': 'off',
        'no-restricted-properties': [
          'error',
          {
            object: 'vi',
            property: 'mock',
            message:
              'Test files share their modules, so it depends on their order what it replaces.',
          },
        ],
      },
    },
    boundary(
      ['src/lib/**/*.{ts,tsx}'],
      ['@/app/**', '@/features/**', '@/families/**', '@/components/**', '@/graph/**'],
      'lib is the lowest layer.',
    ),
    boundary(
      ['src/strings/**/*.ts'],
      ['@/app/**', '@/features/**', '@/families/**', '@/components/**', 'react', 'react-dom'],
      'strings are words alone.',
    ),
    boundary(
      ['src/graph/**/*.{ts,tsx}'],
      [...ABOVE_FAMILIES, '@/families/**', ...BESIDE_GRAPH],
      'graph is pure TypeScript: no React, no upper layer.',
    ),
    boundary(
      ['src/components/**/*.{ts,tsx}'],
      [...ABOVE_FAMILIES, '@/families/**'],
      'components know no feature and no family.',
    ),
    // Tests tell whole runs, with every family.
    boundary(
      ['src/graph/**/tests/**'],
      [...ABOVE_FAMILIES, ...BESIDE_GRAPH],
      'graph is pure TypeScript: no React, no upper layer.',
    ),
    boundary(['src/components/**/tests/**'], ABOVE_FAMILIES, 'components know no feature.'),
    boundary(['src/families/*.ts'], ABOVE_FAMILIES, 'Families know no feature.'),
    ...foldersIn('families').flatMap((name) => {
      const others = [
        ...ABOVE_FAMILIES,
        '@/families/**',
        `!@/families/${name}`,
        `!@/families/${name}/**`,
      ]
      const message =
        'Families know no feature and not each other; share through components or graph.'
      return [
        boundary([`src/families/${name}/**/*.{ts,tsx}`], others, message),
        boundary([`src/families/${name}/tests/**`], [...others, '!@/families/all'], message),
      ]
    }),
    ...foldersIn('features').flatMap((name) => {
      const others = [
        ...['@/app/**', '@/features/**', `!@/features/${name}`, `!@/features/${name}/**`],
        ...['@/families/**', '!@/families/registry'],
        ...(SHOWN_BY[name] ?? []).flatMap((family) => [
          `!@/families/${family}`,
          `!@/families/${family}/**`,
        ]),
      ]
      const message =
        'Features know families by the registry and not each other; share through components or lib.'
      return [
        boundary([`src/features/${name}/**/*.{ts,tsx}`], others, message),
        boundary([`src/features/${name}/tests/**`], [...others, '!@/families/all'], message),
      ]
    }),
  ],
}
