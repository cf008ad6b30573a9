<?php
// What applications do with Doctrine ORM.
// usage: orm.php DSN DIRECT_DSN prepared|as-it-is
declare(strict_types=1);

use Doctrine\Common\Collections\ArrayCollection;
use Doctrine\Common\Collections\Collection;
use Doctrine\DBAL\DriverManager;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\Mapping as ORM;
use Doctrine\ORM\ORMSetup;
use Doctrine\ORM\Tools\SchemaTool;

require '/usr/share/php/Doctrine/ORM/autoload.php';
require '/usr/share/php/Symfony/Component/Cache/autoload.php';
require __DIR__ . '/common.php';

#[ORM\Entity]
class Author
{
    #[ORM\Id, ORM\Column, ORM\GeneratedValue]
    public ?int $id = null;
    #[ORM\OneToMany(mappedBy: 'author', targetEntity: Book::class, cascade: ['persist'])]
    public Collection $books;

    public function __construct(#[ORM\Column(unique: true)] public string $name)
    {
        $this->books = new ArrayCollection();
    }
}

#[ORM\Entity]
class Book
{
    #[ORM\Id, ORM\Column, ORM\GeneratedValue(strategy: 'IDENTITY')]
    public ?int $id = null;
    #[ORM\Version, ORM\Column(type: 'integer')]
    public int $version = 1;
    #[ORM\Column]
    public bool $sold = false;

    public function __construct(
        #[ORM\Column] public string $title,
        #[ORM\ManyToOne(inversedBy: 'books')] public Author $author,
        #[ORM\Column(type: 'json')] public array $tags,
    ) {
    }
}

[, $dsn, $direct, $how] = $argv;
$configuration = ORMSetup::createAttributeMetadataConfiguration([__DIR__], true, sys_get_temp_dir());
$connection = DriverManager::getConnection(parts($dsn) + [
    'driver' => 'pdo_pgsql',
    'driverOptions' => $how === 'prepared' ? [PDO::PGSQL_ATTR_DISABLE_PREPARES => false] : [],
], $configuration);
$manager = fn () => EntityManager::create($connection, $configuration);
$em = $manager();
(new SchemaTool($em))->createSchema([$em->getClassMetadata(Author::class), $em->getClassMetadata(Book::class)]);

for ($i = 1; $i <= 10; $i++) {
    $author = new Author("author $i");
    for ($j = 1; $j <= 3; $j++) {
        $author->books->add(new Book("book $i.$j", $author, [$i, "tag $j"]));
    }
    $em->persist($author);
    $em->flush();
}
$em->clear();

for ($i = 1; $i <= 30; $i++) {
    $book = $em->find(Book::class, $i);
    show('found', [$book->title, $book->author->name, $book->tags, $book->sold, $book->version]);
    $em->clear();
}
foreach ($em->createQuery('SELECT b FROM Book b JOIN b.author a WHERE a.name > ?1 ORDER BY b.id')->setParameter(1, 'author 5')->toIterable() as $book) {
    show('iterated', $book->title);
    $em->detach($book);
}
for ($i = 1; $i <= 10; $i++) {
    $author = $em->getRepository(Author::class)->findOneBy(['name' => "author $i"]);
    show('lazy', [count($author->books), $author->books->first()->title]);
    $author->books->first()->sold = true;
    $em->flush();
}
show('sold', $em->createQuery('SELECT COUNT(b) FROM Book b WHERE b.sold = true')->getSingleScalarResult());

show('rolled back', thrown(fn () => $em->wrapInTransaction(function (EntityManager $em) {
    $em->find(Author::class, 1)->name = 'nobody';
    $em->flush();
    throw new DomainException();
})));
$em = $manager();
show('as before', $em->find(Author::class, 1)->name);
show('twice', thrown(function () use ($em) {
    $em->persist(new Author('author 1'));
    $em->flush();
}));
$em = $manager();
$book = $em->find(Book::class, 1);
$connection->executeStatement('UPDATE book SET version = version + 1 WHERE id = ?', [1]);
$book->title = 'another';
show('stale', thrown(fn () => $em->flush()));

kill($direct, (int) $connection->fetchOne('SELECT pg_backend_pid()'));
$em = $manager();
show('broken', thrown(fn () => $em->find(Book::class, 2)) !== 'nothing');
$connection->close();
$em = $manager();
for ($i = 2; $i <= 6; $i++) {
    show('again', $em->find(Book::class, $i)->title);
}
told();
