import java.nio.file.*;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.store.FSDirectory;

/** java AddDocValues.java INDEX docvalues.tsv: sets FIELD of each document, found by its id. */
public class AddDocValues {
  public static void main(String[] args) throws Exception {
    try (FSDirectory folder = FSDirectory.open(Path.of(args[0]));
        IndexWriter writer = new IndexWriter(folder, new IndexWriterConfig());
        java.util.stream.Stream<String> lines = Files.lines(Path.of(args[1])).skip(1)) {
      Term first = new Term("id", "the first document with FIELD");
      Document document = new Document();
      document.add(new StringField(first.field(), first.text(), Field.Store.NO));
      document.add(new FloatDocValuesField("FIELD", 0));
      writer.addDocument(document);
      writer.deleteDocuments(first);
      for (String line : (Iterable<String>) lines::iterator) {
        String[] cells = line.split("\t");
        long bits = Float.floatToRawIntBits(Float.parseFloat(cells[1]));
        writer.updateNumericDocValue(new Term("id", cells[0]), "FIELD", bits);
      }
    }
  }
}
