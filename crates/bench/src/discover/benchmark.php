<?php
// A class with subjects, as reflection and the directives describe it.

namespace PhperfBench;

final class Benchmark
{
    /** @var \stdClass */
    private $asked;
    /** @var \ReflectionClass[] the class itself, its parent, and so on */
    private $lineage = [];
    private $notes = [];

    public function __construct(\ReflectionClass $class, \stdClass $asked)
    {
        $this->asked = $asked;
        for ($one = $class; $one; $one = $one->getParentClass()) {
            $this->lineage[] = $one;
        }
    }

    public function describe(): array
    {
        $class = $this->lineage[0];
        $described = ['class' => $class->getName(), 'before_class' => [], 'after_class' => [], 'subjects' => []];
        $fromComments = $this->asked->annotations ? $this->comments() : [];
        foreach (array_reverse($this->lineage) as $one) {
            foreach ($fromComments[$one->getName()] ?? [] as $directive) {
                Directive::applyToClass($described, $directive);
            }
        }
        foreach ($this->classAttributes() as $directive) {
            Directive::applyToClass($described, $directive);
        }
        foreach (['before_class', 'after_class'] as $key) {
            foreach ($described[$key] as $method) {
                $this->demandMethod($method, true);
            }
        }
        foreach ($class->getMethods() as $method) {
            $subject = $this->subject($method, $fromComments);
            if ($subject !== null) {
                $described['subjects'][] = $subject;
            }
        }
        $described['notes'] = $this->notes;
        return $described;
    }

    /** Directives in the comments of the class and its ancestors, by class. */
    private function comments(): array
    {
        $directives = [];
        foreach ($this->lineage as $one) {
            if (!$one->isInternal()) {
                $directives[$one->getName()] = $this->reader($one)
                    ->read((string) $one->getDocComment(), $this->notes, $one->getName());
            }
        }
        return $directives;
    }

    private function reader(\ReflectionClass $class): Annotations
    {
        return new Annotations($class, $this->asked->annotation_import_use);
    }

    private function subject(\ReflectionMethod $method, array $fromComments): ?array
    {
        $name = $method->getName();
        $subject = [
            'name' => $name, 'before_methods' => [], 'after_methods' => [], 'providers' => [], 'groups' => [],
            'skip' => false, 'sampling' => [],
        ];
        try {
            [$own, $comments] = $this->directives($method);
            $named = false;
            foreach (array_merge($own, ...array_values($comments)) as $directive) {
                $named = $named || $directive[0] === 'Subject';
            }
            if (!$named && !preg_match('{' . $this->asked->subject_pattern . '}', $name)) {
                return null;
            }
            $whole = $this->lineage[0]->getName() . '::' . $name;
            if (!self::matches($this->asked->filters, $whole)) {
                return null;
            }
            $this->applyComments($subject, $comments, $fromComments);
            $this->applyAttributes($subject, $own);
            if ($this->asked->groups && !array_intersect($this->asked->groups, $subject['groups'])) {
                return null;
            }
            if (!$subject['skip']) {
                $this->check($method, $subject);
                $subject['sets'] = (new Parameters($this->lineage[0], $this->asked, $this->notes, $whole))
                    ->sets($subject['providers']);
            }
        } catch (\Throwable $error) {
            $subject['error'] = Answer::words($error);
        }
        $subject['sampling'] = (object) array_filter($subject['sampling'], function ($value) {
            return $value !== null;
        });
        unset($subject['providers']);
        return $subject;
    }

    /** The method's own attributes, and the directives in the comments that it has at each level. */
    private function directives(\ReflectionMethod $method): array
    {
        $comments = [];
        if ($this->asked->annotations) {
            foreach (array_reverse($this->lineage) as $one) {
                if ($one->hasMethod($method->getName())) {
                    $there = $one->getMethod($method->getName());
                    $where = $one->getName() . '::' . $method->getName();
                    $declared = $there->getDeclaringClass();
                    $comments[$one->getName()] = $declared->isInternal()
                        ? []
                        : $this->reader($declared)->read((string) $there->getDocComment(), $this->notes, $where);
                }
            }
        }
        foreach ($comments as $directives) {
            foreach ($directives as [$name]) {
                if (isset(Directive::CLASS_LISTS[$name])) {
                    throw new \InvalidArgumentException("@$name belongs to the class, not to a method");
                }
            }
        }
        return [$this->asked->attributes ? Directive::attributes($method) : [], $comments];
    }

    /** From the oldest ancestor on: what the classes so far say, then what the method says there. */
    private function applyComments(array &$subject, array $comments, array $fromComments): void
    {
        $soFar = [];
        foreach (array_reverse($this->lineage) as $one) {
            $soFar = array_merge($soFar, $fromComments[$one->getName()] ?? []);
            if (!isset($comments[$one->getName()])) {
                continue;
            }
            foreach (array_merge($soFar, $comments[$one->getName()]) as $directive) {
                if ($directive[0] === 'Assert') {
                    $subject['sampling']['assert'] = $subject['sampling']['assert'] ?? [];
                    if (in_array($directive[1][0] ?? null, $subject['sampling']['assert'], true)) {
                        continue;
                    }
                }
                Directive::apply($subject, $directive, false);
            }
        }
    }

    /** Attributes of the class, then those of its ancestors: PHPBench's order, in which of single values an ancestor's wins. */
    private function classAttributes(): array
    {
        return $this->asked->attributes
            ? array_merge(...array_map([Directive::class, 'attributes'], $this->lineage))
            : [];
    }

    /** What the classes say, then what the method says. */
    private function applyAttributes(array &$subject, array $own): void
    {
        if (!$this->asked->attributes) {
            return;
        }
        foreach ($this->classAttributes() as $directive) {
            Directive::apply($subject, $directive, true);
        }
        foreach ($own as $directive) {
            if (isset(Directive::CLASS_LISTS[$directive[0]])) {
                throw new \InvalidArgumentException("$directive[0] belongs to the class, not to a method");
            }
            Directive::apply($subject, $directive, true);
        }
    }

    private function check(\ReflectionMethod $method, array $subject): void
    {
        if (!$method->isPublic() || $method->isAbstract()) {
            throw new \InvalidArgumentException('it is not public');
        }
        foreach (array_merge($subject['before_methods'], $subject['after_methods']) as $hook) {
            $this->demandMethod($hook, false);
        }
    }

    private function demandMethod(string $name, bool $static): void
    {
        $class = $this->lineage[0];
        if (!$class->hasMethod($name)) {
            throw new \InvalidArgumentException("there is no method $name in {$class->getName()}");
        }
        if (!$class->getMethod($name)->isPublic()) {
            throw new \InvalidArgumentException("the method $name of {$class->getName()} is not public");
        }
        if ($class->getMethod($name)->isStatic() !== $static) {
            throw new \InvalidArgumentException(
                "the method $name of {$class->getName()} must " . ($static ? 'be static' : 'not be static')
            );
        }
    }

    public static function matches(array $patterns, string $name): bool
    {
        foreach ($patterns as $pattern) {
            $matches = @preg_match('{^.*?' . $pattern . '.*?$}', $name);
            if ($matches === false) {
                throw new \InvalidArgumentException("$pattern is no regular expression");
            }
            if ($matches) {
                return true;
            }
        }
        return $patterns === [];
    }
}
