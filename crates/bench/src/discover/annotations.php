<?php
// Reads annotations in doc comments: `@Revs(10)`, `@Bench\Groups({"a", "b"}, extend=true)`.

namespace PhperfBench;

final class Annotations
{
    /** @var array<string, string> alias in lower case => full name */
    private $imports;
    /** @var bool whether short names have to be imported */
    private $importUse;
    /** @var \ReflectionClass the class that the comments belong to */
    private $class;
    private $text;
    private $at;

    public function __construct(\ReflectionClass $class, bool $importUse)
    {
        $this->class = $class;
        $this->imports = self::imports($class->getFileName(), $class->getStartLine());
        $this->importUse = $importUse;
    }

    /** The `use` statements of a file, up to a line: alias in lower case => full name. */
    private static function imports(string $file, int $line): array
    {
        $head = implode('', array_slice(file($file) ?: [], 0, $line));
        $imports = [];
        preg_match_all('/^\s*use\s+(?!function\b|const\b)([^;(]+);/mi', $head, $statements);
        foreach ($statements[1] as $statement) {
            $prefix = '';
            if (preg_match('/^(.*?)\{(.*)\}\s*$/s', $statement, $group)) {
                $prefix = trim($group[1]);
                $statement = $group[2];
            }
            foreach (explode(',', $statement) as $one) {
                $parts = preg_split('/\s+as\s+/i', trim($one));
                $name = ltrim($prefix . $parts[0], '\\');
                if ($name !== '') {
                    $alias = $parts[1] ?? substr((string) strrchr('\\' . $name, '\\'), 1);
                    $imports[strtolower($alias)] = $name;
                }
            }
        }
        return $imports;
    }

    /** Directives: name, positional values, named values. */
    public function read(string $comment, array &$notes, string $where): array
    {
        $directives = [];
        preg_match_all('/(?<![^\s*])@([A-Za-z_\\\\][\w\\\\]*)/', $comment, $found, PREG_OFFSET_CAPTURE | PREG_SET_ORDER);
        foreach ($found as $match) {
            $name = $this->resolve($match[1][0]);
            if ($name === null) {
                foreach (Directive::NAMES as $known) {
                    if (!$this->importUse && strlen($match[1][0]) > 3 && levenshtein($known, $match[1][0]) === 1) {
                        $notes[] = "$where: @{$match[1][0]} is ignored; @$known is meant?";
                    }
                }
                continue;
            }
            $this->text = preg_replace('/^[ \t]*\*(?!\/)/m', '', substr($comment, $match[1][1] + strlen($match[1][0])));
            $this->at = 0;
            $values = [];
            if (($this->text[0] ?? '') === '(') {
                $this->at = 1;
                $values = $this->items(')');
            }
            $directives[] = [$name, $values];
        }
        return $directives;
    }

    private function resolve(string $written): ?string
    {
        $written = ltrim($written, '\\');
        $parts = explode('\\', $written, 2);
        $import = $this->imports[strtolower($parts[0])] ?? null;
        $full = $import === null ? $written : $import . (isset($parts[1]) ? '\\' . $parts[1] : '');
        if (preg_match('/^PhpBench\\\\(?:Benchmark\\\\Metadata\\\\Annotations|Attributes)\\\\(\w+)$/i', $full, $match)) {
            return Directive::known($match[1]);
        }
        return $this->importUse || isset($parts[1]) ? null : Directive::known($written);
    }

    private function items(string $end): array
    {
        $items = [];
        while (true) {
            $this->space();
            $next = $this->text[$this->at] ?? null;
            if ($next === null) {
                throw new \InvalidArgumentException('an annotation has no ' . $end);
            }
            if ($next === $end) {
                $this->at++;
                return $items;
            }
            if ($next === ',') {
                $this->at++;
                continue;
            }
            $value = $this->value();
            $this->space();
            if (in_array($this->text[$this->at] ?? '', ['=', ':'], true)) {
                $this->at++;
                $this->space();
                $items[$value] = $this->value();
            } else {
                $items[] = $value;
            }
        }
    }

    private function value()
    {
        $rest = substr($this->text, $this->at);
        if ($rest[0] === '{') {
            $this->at++;
            return $this->items('}');
        }
        if (preg_match('/^"((?:[^"]|"")*)"/', $rest, $match)) {
            $this->at += strlen($match[0]);
            return str_replace('""', '"', $match[1]);
        }
        if (preg_match('/^-?[0-9]+(\.[0-9]+)?(?:e[+-]?[0-9]+)?/i', $rest, $match)) {
            $this->at += strlen($match[0]);
            return strpbrk($match[0], '.eE') === false ? (int) $match[0] : (float) $match[0];
        }
        if (preg_match('/^\\\\?[A-Za-z_][\w\\\\]*(?:::\w+)?/', $rest, $match)) {
            $this->at += strlen($match[0]);
            return $this->word($match[0]);
        }
        throw new \InvalidArgumentException('an annotation cannot be read at ' . substr($rest, 0, 20));
    }

    private function word(string $word)
    {
        $known = ['true' => true, 'false' => false, 'null' => null];
        if (array_key_exists(strtolower($word), $known)) {
            return $known[strtolower($word)];
        }
        $parts = explode('::', $word, 2);
        $class = $this->className($parts[0]);
        if (isset($parts[1])) {
            return $parts[1] === 'class' ? $class : constant($class . '::' . $parts[1]);
        }
        return defined($word) ? constant($word) : $word;
    }

    private function className(string $written): string
    {
        if ($written === 'self' || $written === 'static') {
            return $this->class->getName();
        }
        $beside = $this->class->getNamespaceName() . '\\' . $written;
        return $this->imports[strtolower($written)] ?? (class_exists($beside) ? $beside : ltrim($written, '\\'));
    }

    private function space(): void
    {
        $this->at += strspn($this->text, " \t\r\n", $this->at);
    }
}
