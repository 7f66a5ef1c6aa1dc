import java.nio.file.*;
import org.apache.lucene.index.*;
import org.apache.lucene.queries.function.FunctionScoreQuery;
import org.apache.lucene.search.*;
import org.apache.lucene.store.FSDirectory;

/** java Search.java INDEX WORD...: ten documents, by their score for the words times FIELD. */
public class Search {
  public static void main(String[] args) throws Exception {
    BooleanQuery.Builder words = new BooleanQuery.Builder();
    for (int i = 1; i < args.length; i++) {
      words.add(new TermQuery(new Term("contents", args[i])), BooleanClause.Occur.SHOULD);
    }
    Query query = FunctionScoreQuery.boostByValue(
        words.build(), DoubleValuesSource.fromFloatField("FIELD"));
    try (DirectoryReader reader = DirectoryReader.open(FSDirectory.open(Path.of(args[0])))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      for (ScoreDoc hit : searcher.search(query, 10).scoreDocs) {
        System.out.println(searcher.doc(hit.doc).get("id") + "\t" + hit.score);
      }
    }
  }
}
